import fc from "fast-check";
import { SESSION_EVENTS, type SessionEvent } from "../../src/contract/events.ts";
import { isSessionEvent } from "../../src/core/session/known-events.ts";
import { anyOf } from "./arbitrary-schema.ts";

/** Any event that its schema allows, whether or not a session could reach it. */
export const anyEvent: fc.Arbitrary<SessionEvent> = fc
  .oneof(
    ...Object.entries(SESSION_EVENTS).map(([type, schema]) =>
      fc.record({
        type: fc.constant(type),
        data: anyOf(schema),
        seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        at: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
        actor: fc.constant("ada"),
        interface: fc.constant("cli"),
        trace_id: fc.constant(null),
      }),
    ),
  )
  .filter((event): event is typeof event & SessionEvent => isSessionEvent(event));
