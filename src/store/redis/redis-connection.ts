import { createClient } from "redis";
import { BelayError, refuse } from "../../contract/errors.ts";

export type RedisConnection = ReturnType<typeof connectRedis>;

/** A connection that is opened in the background and reopened when it breaks. Until then, commands fail at once. */
export function connectRedis(url: string, onError: (error: unknown) => void) {
  const client = openClient(url);
  client.on("error", onError);
  client.connect().catch(onError);
  return client;
}

function openClient(url: string) {
  try {
    return createClient({
      url,
      name: "belay",
      disableOfflineQueue: true,
      socket: {
        connectTimeout: CONNECT_MS,
        reconnectStrategy: (tries) => Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS),
      },
    });
  } catch {
    // Not the cause: its text may contain a password.
    const message = "BELAY_REDIS_URL is not a valid address. Use redis://USER:PASSWORD@HOST:PORT.";
    throw new BelayError(refuse("usage", message));
  }
}

const CONNECT_MS = 2000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
