import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { findAddresses, type Resolve } from "./find-addresses.ts";

/** Refuses an invalid address for a webhook before anything is stored. Returns it in normalized form. */
export async function checkUrl(
  given: string,
  allow_private: boolean,
  resolve: Resolve,
): Promise<string> {
  const url = URL.parse(given);
  if (!url) throw wrong("must be an address such as https://example.com/hook.");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && allow_private)) {
    throw wrong('must start with https://, or with http:// if "allow_private" is set.');
  }
  if (url.username !== "" || url.password !== "") {
    throw wrong("must not contain a user or password. Deliveries are signed instead.");
  }
  url.hash = "";
  if (jsonBytes(url.href) > LIMITS.WEBHOOK_URL) {
    throw new BelayError(
      refuse("too_large", `url: must have at most ${LIMITS.WEBHOOK_URL} bytes.`, {
        max: LIMITS.WEBHOOK_URL,
      }),
    );
  }
  await findAddresses(url.hostname, allow_private, async (host) => {
    try {
      return await resolve(host);
    } catch (error) {
      // A private receiver may not be running yet.
      if (allow_private) return [];
      throw wrong(`the host ${host} was not found. Check the spelling.`, error);
    }
  });
  return url.href;
}

function wrong(message: string, cause?: unknown): BelayError {
  return new BelayError(refuse("invalid_input", `url: ${message}`, { field: "url" }), cause);
}
