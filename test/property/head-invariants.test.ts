import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_LOG, perform } from "../core/session-log.ts";
import { COMMANDS } from "./arbitrary-command.ts";
import { brokenInvariants } from "./head-invariants.ts";
import { anyLife, live } from "./session-life.ts";

describe("no sequence of commands leads to an illegal head", () => {
  it("after any command", () => {
    fc.assert(
      fc.property(anyLife(120), (life) => {
        live(life, ({ after, refusal }) => {
          if (!refusal) expect(brokenInvariants(after.head, after.seq)).toEqual([]);
        });
      }),
      { numRuns: 200 },
    );
  });

  it("not even with the first one", () => {
    fc.assert(
      fc.property(COMMANDS.create, (create) => {
        const created = perform(NO_LOG, create);
        if ("error" in created || !created.head) return;
        expect(brokenInvariants(created.head, created.seq)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
