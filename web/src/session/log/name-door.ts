import { INTERFACES, type Interface } from "../../../../src/contract/vocabulary.ts";

const DOORS = {
  cli: "the CLI",
  api: "the API",
  graphql: "GraphQL",
  webhook: "a webhook",
  mcp: "an MCP client",
  hook: "a hook",
  library: "a program",
  web: "this page",
} as const satisfies Record<Interface, string>;

/** The way by which someone came, in words. */
export function nameDoor(door: string): string {
  const known = INTERFACES.find((each) => each === door);
  return known ? DOORS[known] : door;
}

/** Who did something, as far as it is known: tokens and agents have names, people at their own machine need none. */
export function whoDid(actor: string, door: string): string {
  const [kind, name] = actor.split(/:(.*)/s);
  if (kind === "agent") return `by agent ${name}`;
  if (kind === "token" && name !== "browser" && name !== "server-token") {
    return `from ${nameDoor(door)} (${name})`;
  }
  return `from ${nameDoor(door)}`;
}

/** Who drives a session now: a driver is named `<door> (pid <n>)`. */
export function nameDriver(driver: string): string {
  const [, door = driver, pid] = /^(.*) \(pid (\d+)\)$/.exec(driver) ?? [];
  if (door === "api") return "run by this server";
  if (door === "cli") return `run from a terminal (pid ${pid})`;
  return `run by ${nameDoor(door)}${pid === undefined ? "" : ` (pid ${pid})`}`;
}

/** Whose message it is. */
export function whoSaid(actor: string | null): string {
  const [kind, name] = (actor ?? "").split(/:(.*)/s);
  if (kind === "agent") return `Agent ${name}`;
  if (kind === "token" && name !== "browser" && name !== "server-token") return `Token ${name}`;
  return "You";
}
