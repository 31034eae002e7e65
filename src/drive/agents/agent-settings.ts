import { z } from "zod";
import { describeIssue } from "../../contract/describe-issue.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { EFFECTS } from "../../contract/vocabulary.ts";
import { isNeverPassed } from "./clean-environment.ts";
import { findJsonError } from "./find-json-error.ts";

/** The protocol's kinds of tools; `*` means all that are not listed. */
const TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
  "*",
] as const;
const PERMISSIONS = ["ask", "allow", "deny"] as const;
export type Permission = (typeof PERMISSIONS)[number];

const Line = z
  .string()
  .min(1)
  .refine((text) => !text.includes("\0"), { error: "expected a text without NUL" });
const Texts = z.record(z.string().regex(/^[^=\0]+$/, { error: "expected a name" }), z.string());
const Seconds = z.number().positive().max(86_400);
const Passed = Line.refine((name) => !isNeverPassed(name), {
  error: "expected a variable that may be passed on; set this one under env instead",
});

const McpServer = z.union(
  [
    z.strictObject({
      name: Line,
      command: Line,
      args: z.array(z.string()).default([]),
      env: Texts.default({}),
    }),
    z.strictObject({ name: Line, url: z.url(), headers: Texts.default({}) }),
  ],
  { error: "expected {name, command, args?, env?} or {name, url, headers?}" },
);

/** The settings of one agent. Missing fields come from the preset of that name, if there is one. */
export const AgentSettings = z.strictObject({
  command: Line.optional(),
  args: z.array(z.string()).optional(),
  env: Texts.optional(),
  pass_env: z.array(Passed).optional(),
  cwd: Line.optional(),
  mode: Line.optional(),
  mcp_servers: z.array(McpServer).optional(),
  permissions: z.partialRecord(z.enum(TOOL_KINDS), z.enum(PERMISSIONS)).optional(),
  effects: z.partialRecord(z.enum(TOOL_KINDS), z.enum(EFFECTS)).optional(),
  timeouts: z
    .strictObject({
      initialize: Seconds.optional(),
      open: Seconds.optional(),
      turn: Seconds.optional(),
    })
    .optional(),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

/** Every agent of a file. An invalid one comes with its error, so that the others stay usable. */
export function readAgentSettings(
  file: string,
  text: string,
): ReadonlyMap<string, AgentSettings | BelayError> {
  const { agents } = readAgentsFile(file, text);
  return new Map(
    Object.entries(agents).map(([name, given]) => [name, readEntry(file, name, given)]),
  );
}

/** The file with unchecked entries, so that writing it back loses nothing. */
export function readAgentsFile(file: string, text: string): { agents: Record<string, unknown> } {
  const parsed = AgentsFile.safeParse(parseJson(file, text));
  if (parsed.success) return parsed.data;
  throw invalid(`${file}: ${parsed.error.issues.map(describeSetting).join("; ")}`, { file });
}

const AgentsFile = z.strictObject({ agents: z.record(z.string(), z.unknown()).default({}) });
const NAME = /^[a-z0-9][a-z0-9._-]*$/i;

export function isAgentName(name: string): boolean {
  return NAME.test(name) && name.length <= LIMITS.AGENT;
}

function readEntry(file: string, name: string, given: unknown): AgentSettings | BelayError {
  if (!isAgentName(name)) {
    const expected = `a name of letters, digits, ".", "_" and "-", at most ${LIMITS.AGENT} characters`;
    return invalid(`${file}: agent "${name}": expected ${expected}.`, { file, agent: name });
  }
  const parsed = AgentSettings.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(describeSetting).join("; ");
  const field = parsed.error.issues[0]?.path.join(".") ?? "";
  return invalid(`${file}: agent "${name}": ${issues}`, { file, agent: name, field });
}

type Issue = z.core.$ZodIssue;

function describeSetting(issue: Issue): string {
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `"${[...issue.path, key].join(".")}"`).join(", ");
    return `there is no field ${keys}; expected one of ${knownFields(issue.path).join(", ")}`;
  }
  return describeIssue(issue);
}

function knownFields(path: readonly PropertyKey[]): readonly string[] {
  const [first] = path;
  if (first === "permissions" || first === "effects") return TOOL_KINDS;
  if (first === "timeouts") return ["initialize", "open", "turn"];
  return Object.keys(AgentSettings.shape);
}

function parseJson(file: string, text: string): unknown {
  const json = text.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(json);
  } catch (cause) {
    const { line, column } = findJsonError(json);
    throw invalid(`${file}:${line}:${column}: invalid JSON.`, { file, line, column }, cause);
  }
}

function invalid(
  message: string,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): BelayError {
  return new BelayError(refuse("invalid_input", message, details), cause);
}
