import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { root } from "../../architecture/list-files.ts";

const VERSION = "0.3.325";
const INTEGRITY =
  "MhSm2Fhk3DA/hhjdCKXDZWlnykpPWJjX42SogllAHMplY9ZKT+Ltb8QPtQxpe225Imfs4A8IKaNE4biivA+fHg==";

const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  tool_use_id: z.string().optional(),
});
const Messages = z.array(
  z.object({ message: z.object({ content: z.union([z.string(), z.array(Block)]) }) }),
);
const Sdk = z.object({
  getSessionMessages: z.function({
    input: [z.string(), z.object({ dir: z.string() })],
    output: z.unknown(),
  }),
});

/** The package alone, 1.5 MB: its other programs are not needed for reading. */
export function fetchClaudeReader(): string {
  const cache = join(root, "node_modules", ".cache", "belay-claude-reader");
  const folder = join(cache, VERSION);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, "fetch-"));
  try {
    const name = `@anthropic-ai/claude-agent-sdk@${VERSION}`;
    const told = execFileSync("npm", ["pack", "--silent", name], { cwd: making, encoding: "utf8" });
    const packed = join(making, told.trim().split("\n").at(-1) ?? "");
    const digest = createHash("sha512").update(readFileSync(packed)).digest("base64");
    if (digest !== INTEGRITY) throw new Error(`${name} is not the package that was reviewed`);
    execFileSync("tar", ["xzf", packed], { cwd: making });
    renameSync(join(making, "package"), folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** A session according to Claude's own reader: texts, calls and results in order. */
export async function readByClaude(session: string, dir: string): Promise<string[]> {
  const module: unknown = await import(pathToFileURL(join(fetchClaudeReader(), "sdk.mjs")).href);
  const messages = Messages.parse(await Sdk.parse(module).getSessionMessages(session, { dir }));
  return messages.flatMap(({ message }) => wordsIn(message.content));
}

function wordsIn(content: string | z.infer<typeof Block>[]): string[] {
  if (typeof content === "string") return [content];
  return content.map(({ type, text, id, tool_use_id }) => text ?? `${type} ${id ?? tool_use_id}`);
}
