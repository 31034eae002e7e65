import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { FastifyInstance } from "fastify";

export interface Registered {
  readonly route: string;
  readonly open: boolean;
  /** True if it only exists to refuse wrong methods. */
  readonly refuses: boolean;
}

/** Every route that is registered during the work, as Fastify reports it. */
export async function registeredDuring(work: () => Promise<unknown>): Promise<Registered[]> {
  const found: Registered[] = [];
  const listen = (message: unknown): void => {
    if (!hasFastify(message)) return;
    message.fastify.addHook("onRoute", ({ method, url, config }) => {
      for (const each of [method].flat()) {
        const { open = false, refuses = false } = config ?? {};
        found.push({ route: `${each} ${url}`, open, refuses });
      }
    });
  };
  subscribe("fastify.initialization", listen);
  try {
    await work();
  } finally {
    unsubscribe("fastify.initialization", listen);
  }
  return found;
}

function hasFastify(message: unknown): message is { readonly fastify: FastifyInstance } {
  return typeof message === "object" && message !== null && "fastify" in message;
}
