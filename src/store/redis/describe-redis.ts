import type { Fact } from "../store-care.ts";
import { connectRedis } from "./redis-connection.ts";

/** The line of `doctor` about Redis. */
export async function describeRedis(url: string): Promise<Fact> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const client = connectRedis(url, reject);
  const late = setTimeout(() => reject(new Error("no answer within 3 seconds")), PATIENCE_MS);
  try {
    const ready = new Promise<void>((resolve) => client.once("ready", () => resolve()));
    await Promise.race([ready.then(() => client.ping()), failed]);
    return { name: "redis", value: "answers", ok: true, fix: null };
  } catch (error) {
    const why = error instanceof Error ? error.message || error.name : String(error);
    const fix =
      "start Redis, or unset BELAY_REDIS_URL; until then live text of other nodes is late";
    return { name: "redis", value: `does not answer: ${why}`, ok: false, fix };
  } finally {
    clearTimeout(late);
    if (client.isOpen) client.destroy();
  }
}

const PATIENCE_MS = 3000;
