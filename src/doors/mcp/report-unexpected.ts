import { BelayError } from "../../contract/errors.ts";
import type { BelayService } from "../../service/belay-service.ts";

/** Reports unexpected errors of a service on our side; clients only learn that there was one. */
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
