import type { AgentLaunch } from "../agent-connection.ts";

const SAYS_SECRET = /key|token|secret|passw|auth|credential/i;
/** A shorter value would match parts of normal words. */
const SHORTEST = 6;
const HIDDEN = "[hidden]";

/** The values of a launch that must not appear in the stored transcript. */
export class Secrets {
  /** The size of the longest value, in bytes. */
  readonly longest: number;
  readonly #values: readonly string[];

  constructor({ env, mcp_servers }: Pick<AgentLaunch, "env" | "mcp_servers">) {
    const ofAgent = Object.entries(env).flatMap(([name, value]) =>
      SAYS_SECRET.test(name) ? [value] : [],
    );
    const ofServers = mcp_servers.flatMap((server) =>
      Object.values("url" in server ? server.headers : server.env),
    );
    this.#values = [...ofAgent, ...ofServers].filter((value) => value.length >= SHORTEST);
    this.longest = Math.max(0, ...this.#values.map((value) => Buffer.byteLength(value)));
  }

  hide(text: string): string {
    return this.#values.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
  }
}
