import { describe, expect, it } from "vitest";
import { STATUSES } from "../../src/contract/vocabulary.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { MINUTE, play, START } from "./session-log.ts";
import { keepRows } from "./stored-rows.ts";

describe("a fork", () => {
  it.each(STATUSES)("of a session that is %s is a new one", (status) => {
    const { head } = play(sessionIn(status), [EXAMPLE.fork], START + MINUTE);
    expect(head).toMatchObject({
      session_id: EXAMPLE.fork.session_id,
      entity_id: EXAMPLE.fork.entity_id,
      parent: EXAMPLE.fork.parent,
      interface: "api",
      title: "another way",
      status: "created",
      phase: "initializing",
      run: 1,
      created_at: START + MINUTE,
      ended: null,
      resume_ready: true,
      error_count: 0,
    });
  });

  it("drops unfinished work, in the head and in the rows", () => {
    const forked = play(working(), [EXAMPLE.fork]);
    expect(forked.head).toMatchObject({ turn: null, actions: [], approvals: [], queue: [] });
    const rows = keepRows(forked.rows).filter((row) => row.kind !== "phase");
    expect(rows.map(({ kind, data }) => [kind, data.status])).toEqual([
      ["turn", "dropped"],
      ["action", "dropped"],
      ["approval", "dropped"],
      ["turn", "dropped"],
    ]);
  });

  it("keeps metadata, counts and checkpoint", () => {
    const parent = play(working(), [EXAMPLE.annotate, EXAMPLE.save_checkpoint]);
    const { head } = play(parent, [EXAMPLE.fork]);
    expect(head.metadata).toEqual(parent.head.metadata);
    expect(head.checkpoint_id).toBe("checkpoint-2");
    expect(head.counts).toEqual({ ...parent.head.counts, resumes: 0 });
  });

  it("keeps the parent's title unless it gets its own", () => {
    const parent = play(sessionIn("active"), [EXAMPLE.rename]);
    const { head } = play(parent, [{ ...EXAMPLE.fork, title: null }]);
    expect(head.title).toBe("a better name");
  });

  it("of a removed session is not removed", () => {
    const { head } = play(sessionIn("active"), [EXAMPLE.pin, EXAMPLE.delete, EXAMPLE.fork]);
    expect(head).toMatchObject({ deleted: null, pinned: false });
  });
});
