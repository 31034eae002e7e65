import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isPublicAddress } from "./is-public-address.ts";

/** The addresses of a name, as this machine resolves it. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * The permitted addresses of a host. Resolved when a webhook is added and again at each connection, which then uses
 * only these, because a name may point elsewhere by then.
 */
export async function findAddresses(
  host: string,
  allow_private: boolean,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const plain = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(plain);
  const addresses = family === 0 ? await resolve(plain) : [{ address: plain, family }];
  const hidden = addresses.find(({ address }) => !isPublicAddress(address));
  if (allow_private || !hidden) return addresses;
  const message = `url: ${plain} is an address of this machine or its networks (${hidden.address}). Set "allow_private" to send there.`;
  throw new BelayError(refuse("invalid_input", message, { field: "url" }));
}

/**
 * An unresponsive name server blocks one of the few threads that this process also needs for files, so only some
 * lookups run at a time.
 */
export function resolveFew(most: number): Resolve {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (host) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      // Loaded here, because every command loads this file and few send webhooks.
      return await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true });
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
