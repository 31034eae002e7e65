import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { HttpAddress } from "./create-server.ts";

type TlsPair = NonNullable<HttpAddress["tls"]>;

/** Reads certificate and key, and checks that they match. */
export function readTlsPair({ cert, key }: TlsPair): TlsPair {
  try {
    const pair = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `Cannot use the certificate: ${why}. --tls-cert and --tls-key must name files with a certificate and its key, as PEM.`;
    throw new BelayError(refuse("usage", message), error);
  }
}
