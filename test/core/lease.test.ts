import { describe, expect, it } from "vitest";
import { COMMAND_SIDE } from "../../src/contract/commands.ts";
import { decideSession } from "../../src/core/session/decide-session.ts";
import { type DecisionContext, isRefusal } from "../../src/core/session/decision.ts";
import { COMMAND_TYPES, EXAMPLE } from "./example-command.ts";
import { working } from "./session-in.ts";
import { START } from "./session-log.ts";

const held = { epoch: 7, live: true, holder: { name: "belay run" } };
const dead = { ...held, live: false };

function refusalOf(type: (typeof COMMAND_TYPES)[number], context: Omit<DecisionContext, "now">) {
  const verdict = decideSession(EXAMPLE[type], working().head, { now: START, ...context });
  return isRefusal(verdict) ? verdict.error : null;
}

const ofTheLease = ["session_held", "lease_lost"];
const driverCommands = COMMAND_TYPES.filter((type) => COMMAND_SIDE[type] === "driver");
const outsideCommands = COMMAND_TYPES.filter((type) => COMMAND_SIDE[type] === "outside");

describe("a driver's command", () => {
  it.each(driverCommands)("%s without the epoch is refused while another drives", (type) => {
    expect(refusalOf(type, { lease: held, epoch: null })).toBe("session_held");
  });

  it.each(driverCommands)("%s with an older epoch is refused", (type) => {
    expect(refusalOf(type, { lease: held, epoch: 6 })).toBe("lease_lost");
  });

  it.each(driverCommands)("%s with an unknown epoch is refused", (type) => {
    expect(refusalOf(type, { lease: held, epoch: 8 })).toBe("lease_lost");
  });

  it.each(driverCommands)("%s with the epoch of a lease that was released is refused", (type) => {
    expect(refusalOf(type, { lease: null, epoch: 7 })).toBe("lease_lost");
  });

  it.each(driverCommands)("%s with a lease that was not renewed in time is refused", (type) => {
    expect(refusalOf(type, { lease: dead, epoch: 7 })).toBe("lease_lost");
  });

  it.each(driverCommands)("%s with the current epoch is accepted", (type) => {
    expect(ofTheLease).not.toContain(refusalOf(type, { lease: held, epoch: 7 }));
  });

  it.each(driverCommands)("%s is accepted if no process runs the session", (type) => {
    expect(ofTheLease).not.toContain(refusalOf(type, { lease: null, epoch: null }));
    expect(ofTheLease).not.toContain(refusalOf(type, { lease: dead, epoch: null }));
  });
});

describe("an outside command", () => {
  it.each(outsideCommands)("%s needs no lease, with any driver", (type) => {
    for (const lease of [held, dead, null]) {
      expect(ofTheLease).not.toContain(refusalOf(type, { lease, epoch: null }));
    }
  });

  it.each(outsideCommands)("%s from a driver that was replaced is refused", (type) => {
    expect(refusalOf(type, { lease: held, epoch: 6 })).toBe("lease_lost");
  });
});

it("names the holder in its refusal", () => {
  const verdict = decideSession(EXAMPLE.start_turn, working().head, {
    now: START,
    lease: held,
    epoch: null,
  });
  expect(verdict).toEqual({
    error: "session_held",
    message: "The session is run by belay run. Wait until it has finished.",
    details: { holder: { name: "belay run" } },
  });
});
