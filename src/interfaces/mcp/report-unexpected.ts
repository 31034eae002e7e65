import { BelayError } from "../../contract/errors.ts";
import type { BelayService } from "../../service/belay-service.ts";

/** A service of whose broken promises somebody on our side hears; clients are only told that there was one. */
export function reportUnexpected(
  service: BelayService,
  report: (error: unknown) => void,
): BelayService {
  return {
    async call(name, input, caller) {
      try {
        return await service.call(name, input, caller);
      } catch (error) {
        if (isUnexpected(error)) report(error);
        throw error;
      }
    },
  };
}

export function isUnexpected(error: unknown): boolean {
  return !(error instanceof BelayError) || error.code === "internal";
}
