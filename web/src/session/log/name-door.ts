import { CONTINUE_MESSAGE } from "../../../../src/contract/continue-message.ts";
import { INTERFACES, type Interface } from "../../../../src/contract/vocabulary.ts";

const DOORS = {
  cli: "the CLI",
  api: "the API",
  graphql: "GraphQL",
  webhook: "a webhook",
  mcp: "an MCP client",
  hook: "a hook",
  library: "a program",
  web: "the web page",
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

/**
 * The person or program that decided, and the interface. `owner` is the owner of another person's session, else null:
 * then a login of the session's owner is the reader's own.
 */
export function whoDecided(actor: string, door: string, owner: string | null): string {
  const [kind, name] = actor.split(/:(.*)/s);
  const isOwner = kind === "token" && (name === "browser" || name === "server-token");
  const who = isOwner ? (owner ?? "you") : kind === "person" || kind === "user" ? name : null;
  const program = kind === "agent" || kind === "token" ? `${kind} ${name}` : actor;
  return `by ${who ?? program} from ${nameDoor(door)}`;
}

/** The driver of a session in words; its name has the form `<door> (pid <n>)`. */
export function nameDriver(driver: string): string {
  const [, door = driver, pid] = /^(.*) \(pid (\d+)\)$/.exec(driver) ?? [];
  if (door === "api") return "run by this server";
  if (door === "cli") return `run from a terminal (pid ${pid})`;
  return `run by ${nameDoor(door)}${pid === undefined ? "" : ` (pid ${pid})`}`;
}

/** The author of a message. Belay itself continues interrupted work. `owner` is the owner of another person's session, else null. */
export function whoSaid(
  { actor, text }: { readonly actor: string | null; readonly text: string | null },
  owner: string | null = null,
): string {
  if (text === CONTINUE_MESSAGE) return "Belay";
  const [kind, name] = (actor ?? "").split(/:(.*)/s);
  if (kind === "agent") return `Agent ${name}`;
  if (kind === "person" && name) return name;
  if (kind === "token" && name !== "browser" && name !== "server-token") return `Token ${name}`;
  return owner ?? "You";
}
