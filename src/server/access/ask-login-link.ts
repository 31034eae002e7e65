import { randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isAlive } from "../../process/process-identity.ts";
import { proveServer, readServerAddress, readServerToken } from "../server-files.ts";
import { fetchLimited } from "./fetch-limited.ts";

const Made = z.object({ path: z.string().startsWith("/login#") });
/** The refusals that concern the named person. */
const Refused = z.object({
  error: z.enum(["person_not_found", "not_allowed"]),
  message: z.string(),
});
const ANSWERS_WITHIN_MS = 10_000;

/** Asks the server of this data folder for a login link, for this data folder's user or another person. */
export async function askLoginLink(home: string, person?: string): Promise<string> {
  const address = readServerAddress(home);
  const token = readServerToken(home);
  // If the server has died, another program may listen at its address, and must not get the token.
  if (!address || token === null || !isAlive(address)) throw noServer(home);
  await expectProof(address.url, token);
  const response = await fetchLimited(`${address.url}/login/links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ person }),
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  }).catch((error: unknown) => {
    throw silent(address.url, error);
  });
  const answer: unknown = await response.json().catch(() => null);
  const made = Made.safeParse(answer);
  if (made.success) return `${address.url}${made.data.path}`;
  const refused = Refused.safeParse(answer);
  if (refused.success) {
    const { error, message } = refused.data;
    // The server's message ends with a hint for HTTP clients; the command line adds its own.
    const isUnknown = error === "person_not_found";
    throw new BelayError(refuse(error, isUnknown ? `Person not found: ${person}.` : message));
  }
  const message = `The server at ${address.url} did not create a login link (it answered ${response.status}). Restart it.`;
  throw new BelayError(refuse("not_allowed", message));
}

const Proof = z.object({ proof: z.string() });

/**
 * The server's pid and port may belong to another program by now, so it must prove its identity before it gets the
 * token.
 */
async function expectProof(url: string, token: string): Promise<void> {
  const nonce = randomBytes(32).toString("base64url");
  const response = await fetchLimited(`${url}/login/proof`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ nonce }),
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  }).catch((error: unknown) => {
    throw silent(url, error);
  });
  const told = Proof.safeParse(await response.json().catch(() => null));
  const expected = Buffer.from(proveServer(token, url, nonce));
  const given = Buffer.from(told.success ? told.data.proof : "");
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  const message = `The program at ${url} is not the server of this data folder. Start the server again: belay serve`;
  throw new BelayError(refuse("server_not_running", message));
}

function noServer(home: string): BelayError {
  const message = `No server is running for ${home}. Start one with "belay serve", which also prints a login link.`;
  return new BelayError(refuse("server_not_running", message));
}

function silent(url: string, error: unknown): BelayError {
  const cause = error instanceof Error ? error.cause : null;
  const why = cause instanceof Error ? cause.message : String(error);
  const hint = url.startsWith("https:")
    ? "If its certificate is self-signed, give the file: NODE_EXTRA_CA_CERTS=FILE belay login"
    : "Look at its log, or restart it.";
  const message = `The server at ${url} does not answer (${why}). ${hint}`;
  return new BelayError(refuse("server_not_running", message), error);
}
