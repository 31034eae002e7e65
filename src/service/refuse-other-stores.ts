import { BelayError, refuse } from "../contract/errors.ts";

const UNSERVED = ["BELAY_DATABASE_URL", "BELAY_REDIS_URL"] as const;

/** Data must never go elsewhere than where the environment says. This build keeps it in SQLite, in the data folder. */
export function refuseOtherStores(env: Readonly<Record<string, string | undefined>>): void {
  for (const variable of UNSERVED) {
    const value = env[variable];
    if (value === undefined) continue;
    // Not the whole value: it may hold a password.
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1];
    const given =
      value === "" ? "is empty" : scheme ? `names a ${scheme} store` : "is not an address";
    const message = `${variable} ${given}, and this build keeps data in SQLite only. Unset ${variable}; BELAY_HOME chooses the data folder.`;
    throw new BelayError(refuse("storage_unsupported", message, { variable }));
  }
}
