import { isUtf8 } from "node:buffer";
import { BelayError, refuse } from "../../contract/errors.ts";
import { MAX_JSON_VALUES, scanJson } from "../../service/scan-json.ts";

/** Parses a body. Ambiguous JSON is refused, so that the check and the use see the same value. */
export function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid("the body is not valid UTF-8", 0);
  const text = body.toString("utf8");
  const fault = scanJson(text);
  if (fault?.isTooLarge)
    throw new BelayError(
      refuse("too_large", `Invalid JSON: ${fault.message}.`, { max: MAX_JSON_VALUES }),
    );
  if (fault) throw invalid(fault.message, fault.position);
  return JSON.parse(text);
}

function invalid(message: string, position: number): BelayError {
  return new BelayError(
    refuse("invalid_input", `Invalid JSON at position ${position}: ${message}.`, { position }),
  );
}
