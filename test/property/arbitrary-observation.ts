import fc from "fast-check";
import type { Observation } from "../../src/contract/observation.ts";

// Few values, so that submissions often match known items, or nearly do.

const time = fc.constantFrom(
  "2025-12-31T11:00:00Z",
  "2025-12-31T12:00:00+01:00",
  "2025-12-31T11:30:00Z",
  "2025-12-31T12:00:00Z",
);
const details = fc
  .dictionary(fc.constantFrom("x", "y", "__proto__"), fc.constantFrom(1, 2, { z: [1] }), {
    maxKeys: 2,
  })
  .map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value)));

const action = fc.record(
  {
    type: fc.constantFrom("run_tests", "commit"),
    result: fc.constantFrom("success", "failure"),
    details,
    timestamp: time,
  },
  { requiredKeys: ["type", "result"] },
);
const checkpoint = fc.record(
  { name: fc.constantFrom("spec", "tests"), state: details, timestamp: time },
  { requiredKeys: ["name", "timestamp"] },
);
const outcome = fc.record(
  {
    type: fc.constantFrom("released", "created"),
    id: fc.constantFrom("FU-1", "FU-2", "__proto__"),
    details,
  },
  { requiredKeys: ["type"] },
);

export const anyObservation: fc.Arbitrary<Observation> = fc.record(
  {
    session_id: fc.constant("agent-1"),
    actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    checkpoints: fc.array(checkpoint, { maxLength: 3 }),
    outcomes: fc.array(outcome, { maxLength: 3 }),
    duration: fc.integer({ min: 1, max: 7200 }),
    started_at: time,
    ended_at: time,
  },
  { requiredKeys: ["session_id", "actions", "started_at"] },
);
