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

/** The name of an interface, in words. */
export function nameDoor(door: string): string {
  const known = INTERFACES.find((each) => each === door);
  return known ? DOORS[known] : door;
}

/** The actor of an event in words: tokens and agents have names, people at their own machine need none. */
export function whoDid(actor: string, door: string): string {
  const [kind, name] = actor.split(/:(.*)/s);
  if (kind === "agent") return `by agent ${name}`;
  if (kind === "person" && name) return `by ${name}`;
  if (kind === "token" && name !== "browser" && name !== "server-token") {
    return `from ${nameDoor(door)} (${name})`;
  }
  return `from ${nameDoor(door)}`;
}

/** The driver of a session in words; its name has the form `<door> (pid <n>)`. */
export function nameDriver(driver: string): string {
  const [, door = driver, pid] = /^(.*) \(pid (\d+)\)$/.exec(driver) ?? [];
  if (door === "api") return "run by this server";
  if (door === "cli") return `run from a terminal (pid ${pid})`;
  return `run by ${nameDoor(door)}${pid === undefined ? "" : ` (pid ${pid})`}`;
}

/** The author of a message. `owner` is the owner of another person's session, else null. */
export function whoSaid(actor: string | null, owner: string | null = null): string {
  const [kind, name] = (actor ?? "").split(/:(.*)/s);
  if (kind === "agent") return `Agent ${name}`;
  if (kind === "person" && name) return name;
  if (kind === "token" && name !== "browser" && name !== "server-token") return `Token ${name}`;
  return owner ?? "You";
}
