import fc from "fast-check";
import { expect, it } from "vitest";
import { SESSION_EVENTS } from "../../src/contract/events.ts";
import { COMMAND_TYPES } from "../core/example-command.ts";
import { anyStep, live } from "./session-life.ts";

// Cases that never occur are never tested.
it("random lives meet every status, every event and every command, accepted and refused", () => {
  const statuses = new Set<string>();
  const events = new Set<string>();
  const accepted = new Set<string>();
  const refusals = new Set<string>();
  for (let seed = 1; seed <= 40; seed += 1) {
    live(
      { crowded: seed % 2 === 0, steps: fc.sample(anyStep, { seed, numRuns: 150 }) },
      ({ command, before, after, refusal }) => {
        statuses.add(before.head.status);
        for (const { type } of after.events.slice(before.seq)) events.add(type);
        if (refusal) refusals.add(refusal.error);
        else accepted.add(command.type);
      },
    );
  }
  expect([...statuses].toSorted()).toEqual([
    "active",
    "archived",
    "cancelled",
    "completed",
    "created",
    "failed",
    "suspended",
  ]);
  const all = Object.keys(SESSION_EVENTS).filter((type) => type !== "session.created");
  expect(all.filter((type) => !events.has(type))).toEqual([]);
  expect(COMMAND_TYPES.filter((type) => !accepted.has(type))).toEqual(["create"]);
  expect([...refusals].toSorted()).toEqual([
    "action_exists",
    "action_not_found",
    "approval_closed",
    "invalid_input",
    "lease_lost",
    "limit_reached",
    "nothing_to_interrupt",
    "recovery_pending",
    "session_archived",
    "session_cancelled",
    "session_completed",
    "session_deleted",
    "session_exists",
    "session_failed",
    "session_held",
    "session_not_deleted",
    "session_not_suspended",
    "session_suspended",
    "too_large",
    "turn_not_found",
    "turn_open",
  ]);
});
