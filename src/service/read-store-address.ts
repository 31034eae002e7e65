import { BelayError, refuse } from "../contract/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The address of the PostgreSQL database from the environment; undefined means the data folder. Data must only go where
 * the environment says, so any other value is refused.
 */
export function readStoreAddress(env: Environment): string | undefined {
  readRedisAddress(env);
  const address = env.BELAY_DATABASE_URL;
  if (address !== undefined && isPostgresAddress(address)) {
    if (env.BELAY_STORE === undefined) return address;
    const both = "BELAY_STORE and BELAY_DATABASE_URL cannot be combined. Unset one of them.";
    throw new BelayError(refuse("usage", both));
  }
  const kept =
    "Belay stores data only in SQLite, PostgreSQL or files. Use postgres://USER:PASSWORD@HOST/DATABASE.";
  refuseVariable(env, "BELAY_DATABASE_URL", kept);
  return undefined;
}

/** True for an address with a scheme of PostgreSQL, a valid port, and special characters encoded. */
export function isPostgresAddress(text: string): boolean {
  return POSTGRES.test(text) && URL.canParse(text);
}

/** The address of the Redis server that carries live text between nodes; undefined if there is none. */
export function readRedisAddress(env: Environment): string | undefined {
  const address = env.BELAY_REDIS_URL;
  if (address === undefined) return undefined;
  if (!REDIS.test(address)) {
    const message =
      "BELAY_REDIS_URL is not an address of a Redis server. Use redis://USER:PASSWORD@HOST:PORT, or unset it.";
    throw new BelayError(refuse("storage_unsupported", message, { variable: "BELAY_REDIS_URL" }));
  }
  if (env.BELAY_DATABASE_URL !== undefined) return address;
  const message =
    "BELAY_REDIS_URL is set without BELAY_DATABASE_URL. Redis connects the nodes of a PostgreSQL database: set both, or unset BELAY_REDIS_URL.";
  throw new BelayError(refuse("storage_unsupported", message, { variable: "BELAY_REDIS_URL" }));
}

/** The store of a new data folder. */
export type LocalStore = "sqlite" | "files";

/** The store that the environment names for data folders; undefined if it names none. */
export function readStoreKind(env: Environment): LocalStore | undefined {
  const kind = env.BELAY_STORE;
  if (kind === undefined || kind === "sqlite" || kind === "files") return kind;
  const message = `BELAY_STORE must be "sqlite" or "files", not "${kind}".`;
  throw new BelayError(refuse("usage", message, { value: kind }));
}

/** The time that a node may be silent before others take over its sessions; undefined for the default. */
export function readLeaseMs(env: Environment): number | undefined {
  const value = env.BELAY_LEASE_SECONDS;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (value.trim() !== "" && seconds >= SHORTEST_LEASE && seconds <= LONGEST_LEASE) {
    return seconds * 1000;
  }
  const message = `BELAY_LEASE_SECONDS must be a number from ${SHORTEST_LEASE} to ${LONGEST_LEASE}, not "${value}".`;
  throw new BelayError(refuse("usage", message, { value }));
}

const SHORTEST_LEASE = 2;
const LONGEST_LEASE = 3600;

/** Whether the environment says where the encryption key is. */
export function hasKeySource({ BELAY_KEY_FILE, BELAY_KEY_COMMAND }: Environment): boolean {
  return BELAY_KEY_FILE !== undefined || BELAY_KEY_COMMAND !== undefined;
}

const REDIS = /^rediss?:\/\/./i;
const POSTGRES = /^postgres(?:ql)?:\/\/./i;

function refuseVariable(env: Environment, variable: string, why: string): void {
  const value = env[variable];
  if (value === undefined) return;
  // Not the whole value, because it may contain a password.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1];
  const given =
    value === "" ? "is empty" : scheme ? `has the scheme ${scheme}` : "is not an address";
  if (/^postgres(?:ql)?:/i.test(value)) throw new BelayError(refuseInvalid(variable));
  const message = `${variable} ${given}, and ${why} Unset ${variable} to store data in the folder BELAY_HOME.`;
  throw new BelayError(refuse("storage_unsupported", message, { variable }));
}

function refuseInvalid(variable: string) {
  const message = `${variable} is not a valid address. Use postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password encoded (@ as %40).`;
  return refuse("storage_unsupported", message, { variable });
}
