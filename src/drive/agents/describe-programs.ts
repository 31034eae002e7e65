import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readFile } from "../../files/read-file.ts";
import { isBelow } from "../../service/is-below.ts";
import type { AgentSettings } from "./agent-settings.ts";

/** A larger program is identified by its size only. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The contents of the workspace files that its agents' command lines name, one text per file. The result changes if one
 * of them changes, appears or disappears. Programs outside the workspace are not included.
 */
export function describePrograms(base: string, agents: Iterable<AgentSettings>): string[] {
  const files = [...agents].flatMap(({ command, args = [], cwd, mcp_servers = [] }) => {
    const servers = mcp_servers.flatMap((server) =>
      "command" in server ? [server.command, ...(server.args ?? [])] : [],
    );
    const words = [command, ...args, ...servers].filter((word) => word !== undefined);
    const paths = words.flatMap((word) => [resolve(base, word), resolve(cwd ?? base, word)]);
    return paths.filter((path) => isBelow(base, path));
  });
  return [...new Set(files)].toSorted().flatMap((path) => {
    const content = describeContent(path);
    return content === null ? [] : [`${path}\n${content}`];
  });
}

/** Null if it is not a file. */
function describeContent(path: string): string | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return null;
    if (stat.size > MOST_BYTES) return `${stat.size} bytes, changed ${stat.mtimeMs}`;
    const bytes = readFile(path, { followLinks: true });
    return bytes && hash("sha256", bytes, "hex");
  } catch {
    return "unreadable";
  }
}
