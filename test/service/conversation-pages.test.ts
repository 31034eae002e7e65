import { describe, expect, it } from "vitest";
import { changeSession } from "../../src/service/change-session.ts";
import { newId } from "../../src/service/new-id.ts";
import { readConversations } from "../../src/service/read/read-conversation.ts";
import { onMemory } from "./on-memory.ts";

type Step = "recorded" | "driven" | "open" | "action";

/** The history of each session, with all kinds of turns in different orders. */
const SESSIONS: Record<string, readonly Step[]> = {
  "only recorded turns": Array<Step>(7).fill("recorded"),
  "only driven turns": Array<Step>(5).fill("driven"),
  "recorded turns after driven ones": ["driven", "driven", "recorded", "recorded", "recorded"],
  "driven turns after recorded ones": ["recorded", "recorded", "recorded", "driven", "driven"],
  "turns with other work between them": ["recorded", "action", "recorded", "action", "action"],
  "a turn that is still open": ["recorded", "driven", "recorded", "open"],
  "no turns": ["action"],
};

describe.each(Object.entries(SESSIONS))("the conversation of %s", (_, steps) => {
  it("is the same in pages of any size, also in a fork", async () => {
    const { id, store, service, caller } = await sessionOf(steps);
    const said = steps.flatMap((step, n) => (step === "action" ? [] : [saidIn(step, n)]));
    const fork = await service.call("fork", { id, session_id: "fork-1" }, caller);
    for (const of of [id, fork.session_id]) {
      for (const limit of [1, 2, 3, 50]) {
        expect(await readAll(service, of, limit, caller)).toEqual(said);
      }
    }
    const parent = await service.call("get", { id }, caller);
    const both = [parent.entity_id, fork.entity_id].map((id) => ({ id, limit: 2 }));
    for (const { turns } of await readConversations(store, both)) {
      expect(turns.map(textsOf)).toEqual(said.slice(-2));
    }
  });
});

async function sessionOf(steps: readonly Step[]) {
  const { store, service, caller, now } = onMemory();
  const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
  const context = { store, now, newId };
  for (const [n, step] of steps.entries()) {
    const turn_id = `turn-${n}`;
    if (step === "recorded") {
      await service.call(
        "record_turn",
        { id, turn_id, input: `in ${n}`, output: `out ${n}` },
        caller,
      );
    } else if (step === "action") {
      await service.call("begin_action", { id, type: "shell", details: {} }, caller);
    } else {
      const part = { turn_id, item: 0, kind: "message", offset: 0 } as const;
      await changeSession(context, caller, {
        id,
        commands: () => [
          { type: "send_message", turn_id, content: `in ${n}`, interface: "cli" },
          { type: "start_turn", turn_id, content: null },
          { type: "append_part", ...part, text: "out " },
          { type: "append_part", ...part, offset: 4, text: String(n) },
          ...(step === "open"
            ? []
            : [
                {
                  type: "end_turn",
                  turn_id,
                  outcome: "completed",
                  error: null,
                  usage: null,
                } as const,
              ]),
        ],
      });
    }
  }
  return { id, store, service, caller };
}

/** The text of an open turn comes from its stream. */
function saidIn(step: Step, n: number) {
  return step === "open"
    ? { status: "started", input: `in ${n}`, output: "" }
    : { status: "completed", input: `in ${n}`, output: `out ${n}` };
}

function textsOf({ status, input, output }: ReturnType<typeof saidIn>) {
  return { status: status === "dropped" ? "started" : status, input, output };
}

async function readAll(
  service: ReturnType<typeof onMemory>["service"],
  id: string,
  limit: number,
  caller: ReturnType<typeof onMemory>["caller"],
) {
  const said: ReturnType<typeof textsOf>[] = [];
  for (let before: number | undefined; ; ) {
    const page = await service.call("turns", { id, limit, before }, caller);
    expect(page.turns.length).toBeLessThanOrEqual(limit);
    said.unshift(...page.turns.map(textsOf));
    if (page.next_cursor === null) return said;
    before = page.next_cursor;
  }
}
