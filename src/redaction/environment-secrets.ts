import { isPlaceholder, isSecretName } from "./secret-rules.ts";

/** A shorter value would match parts of normal words. */
const SHORTEST = 6;

/** Variables that are named like secrets but contain none. */
const KNOWN = /^(?:SSH_AUTH_SOCK|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/;

/**
 * The values of an environment that look like secrets by their names; also in base64 and URL encoding. Longest first.
 */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) => {
    const isSecret =
      (isSecretName(name) || /(?:_KEY|_AUTH|_PAT|_PW)$/i.test(name)) && !KNOWN.test(name);
    if (!isSecret || value.trim().length < SHORTEST || isPlaceholder(value)) return [];
    // A path leads to a secret but is not one.
    return /^(?:\/|\.{1,2}\/|~\/)[\w./-]*$/.test(value) ? [] : [value.trim()];
  });
  const forms = values.flatMap((value) => [
    value,
    encodeURIComponent(value.toWellFormed()),
    base64(value),
  ]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}

function base64(value: string): string {
  return Buffer.from(value).toString("base64").replace(/=+$/, "");
}
