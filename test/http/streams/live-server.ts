import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  STREAM_TIMES,
  type StreamTimes,
} from "../../../src/interfaces/http/streams/stream-times.ts";
import { afterEachFile } from "../../clean-up.ts";
import { type AgentSettings, writeAgent } from "../../run/run-lab.ts";
import { openServer, type ServerOptions, type TestServer } from "../open-server.ts";
import { EventReader, type ReadOptions } from "./event-reader.ts";

const folders: string[] = [];
// Servers end with their tests, but several may use one folder.
afterEachFile(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A data folder with one agent, `agent`: the demo agent with flags. */
export function makeHome(settings: AgentSettings = {}): string {
  const home = mkdtempSync(join(tmpdir(), "belay-live-"));
  folders.push(home);
  mkdirSync(join(home, "work"));
  writeAgent(home, settings);
  return home;
}

/** A server that runs agents. Its store, processes and streams end with its test. */
export function openLive(
  options: Omit<ServerOptions, "parts"> & { readonly streamTimes?: Partial<StreamTimes> } = {},
): Promise<TestServer> {
  const { streamTimes, home = makeHome(), ...rest } = options;
  return openServer({ ...rest, home, parts: { streamTimes: { ...STREAM_TIMES, ...streamTimes } } });
}

/** A session of the agent, in the server's work folder. */
export async function begin(server: TestServer, token = server.tokens.ann.write): Promise<string> {
  const project = { cwd: join(server.home, "work"), repo: null, branch: null };
  const body = { agent_name: "agent", project };
  return fieldOf(await server.ask("POST", "/sessions", { body, token }), "session_id");
}

export function read(
  server: TestServer,
  path: string,
  options: Partial<ReadOptions> = {},
): EventReader {
  return new EventReader(`${server.url}${path}`, { token: server.tokens.ann.write, ...options });
}

/** A required text of an answer. */
export function fieldOf({ json }: { readonly json: unknown }, name: string): string {
  const value = recordOf(json)[name];
  if (typeof value !== "string") throw new Error(`no ${name} in ${JSON.stringify(json)}`);
  return value;
}

export function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error(`no object: ${value}`);
  return { ...value };
}
