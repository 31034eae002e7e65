import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type AgentSettings, writeAgent } from "../../run/run-lab.ts";
import { makeFolder, openServer, type ServerOptions, type TestServer } from "../open-server.ts";
import { EventReader, type ReadOptions } from "./event-reader.ts";

/** A data folder with one agent, `agent`: the demo agent with flags. */
export function makeHome(settings: AgentSettings = {}): string {
  // Servers end with their tests, but several may use one folder.
  const home = makeFolder();
  mkdirSync(join(home, "work"));
  writeAgent(home, settings);
  return home;
}

/** A server that runs agents. Its store, processes and streams end with its test. */
export function openLive({ home = makeHome(), ...rest }: ServerOptions = {}): Promise<TestServer> {
  return openServer({ ...rest, home });
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
