import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  KB: 2 ** 10,
  MB: 2 ** 20,
  GB: 2 ** 30,
  TB: 2 ** 40,
};

/** The most bytes that the sessions of one owner may store beside their logs: BELAY_FILES_LIMIT, such as 20GB. */
export function filesLimit(
  env: Readonly<Record<string, string | undefined>> = process.env,
): number {
  const given = env.BELAY_FILES_LIMIT;
  if (given === undefined || given === "") return LIMITS.OWNER_FILES;
  const [, digits = "", unit = ""] = /^(\d{1,9}(?:\.\d+)?) ?([KMGT]?B?)$/i.exec(given.trim()) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  const bytes = Number(digits) * (factor ?? 0);
  if (bytes > 0) return Math.floor(bytes);
  const message = `Invalid BELAY_FILES_LIMIT: "${given}". Give a size such as 500MB or 20GB.`;
  throw new BelayError(refuse("invalid_input", message, { variable: "BELAY_FILES_LIMIT" }));
}
