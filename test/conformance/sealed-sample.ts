import { guarantees } from "../../src/store/conformance/store-conformance.ts";
import type { StoreUnderTest } from "../../src/store/conformance/suite.ts";

/** What encryption asks of the database itself: keys are streams there, created, read again and purged. */
const SAMPLE: ReadonlySet<string> = new Set(["content", "idempotency", "property", "purge"]);

/**
 * `npm test` checks encryption in memory against every guarantee, and in a database against those above and `more`.
 * `npm run test:sealed` leaves none out.
 */
export function sealedSample(...more: string[]): Pick<StoreUnderTest, "runs" | "skip"> {
  if (process.env.BELAY_FULL === "1") return {};
  const tests = Object.keys(guarantees).filter((name) => !SAMPLE.has(name) && !more.includes(name));
  return { runs: 5, skip: [{ reason: "npm run test:sealed", tests }] };
}
