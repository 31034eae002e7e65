import { expect, it } from "vitest";
import { composeAgents } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { checkProcess } from "../../src/process/process-identity.ts";
import { changeVerdict } from "../../src/store/append-rules.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { NewPatch, StreamStore } from "../../src/store/stream-store.ts";
import { openLab, talk, until } from "./run-lab.ts";

const caller = { owner: "local", actor: "test", interface: "cli", trace_id: null } as const;

it("a message that was queued during the only turn is answered before the session is completed", async () => {
  const lab = await openLab();
  const store = await openSqliteStore({ folder: lab.home, isAlive: checkProcess });
  const runner = composeAgents(lab.home, createContext(store), "cli");
  const conversation = await runner.converse(caller, { agent: "agent", cwd: lab.cwd });
  const id = conversation.session_id;
  await conversation.send("/slow 300\n/say one");
  await lab.belay.turns.send({ id, message: "/slow 300\n/say two" });
  await until(
    "the first answer",
    async () => (await lab.belay.turns.list({ id })).turns[0]?.output,
  );
  await conversation.complete();
  const { turns } = await lab.belay.turns.list({ id });
  expect(turns.map(({ status, output }) => [status, output])).toEqual([
    ["completed", "one"],
    ["completed", "two"],
  ]);
  expect(await lab.belay.sessions.get({ id })).toMatchObject({ status: "completed", driver: null });
  conversation.close();
  await runner.close();
  await store.close();
});

it("a turn that runs when the session is completed is recorded as interrupted", async () => {
  const lab = await openLab();
  const { id } = await talk(lab, "/slow 60000", {
    on: async (event) => {
      if (event.type !== "agent") return;
      await lab.belay.sessions.finalize({ id: event.session_id, outcome: "completed" });
    },
  });
  const { turns } = await lab.belay.turns.list({ id });
  expect(turns).toMatchObject([{ status: "interrupted" }]);
});

it("control: finalizing at once leaves the queued message without an answer", async () => {
  const lab = await openLab();
  const { id } = await talk(lab, "/slow 60000", {
    on: async (event) => {
      if (event.type !== "agent") return;
      await lab.belay.turns.send({ id: event.session_id, message: "/say two" });
      await lab.belay.sessions.finalize({ id: event.session_id, outcome: "completed" });
    },
  });
  const { turns } = await lab.belay.turns.list({ id });
  expect(turns.map(({ output }) => output)).not.toContain("two");
});

it("control: a store that records the interrupted turn as completed", async () => {
  const lab = await openLab();
  const store = await openSqliteStore({ folder: lab.home, isAlive: checkProcess });
  const service = createService(createContext(embellishing(store)));
  const { id } = await talk(lab, "/slow 60000", {
    on: async (event) => {
      if (event.type !== "agent") return;
      await service.call("finalize", { id: event.session_id, outcome: "completed" }, caller);
    },
  });
  const { turns } = await lab.belay.turns.list({ id });
  expect(turns).toMatchObject([{ status: "completed" }]);
  await store.close();
});

function embellishing(store: StreamStore): StreamStore {
  const embellish = (row: NewPatch): NewPatch =>
    "status" in row.data && row.data.status === "interrupted"
      ? { ...row, data: { ...row.data, status: "completed" } }
      : row;
  return {
    ...store,
    transact: (transaction) =>
      store.transact({
        ...transaction,
        decide: (loaded) =>
          changeVerdict(transaction.decide(loaded), (verdict) =>
            "appends" in verdict
              ? {
                  appends: verdict.appends.map((append) => ({
                    ...append,
                    rows: append.rows.map(embellish),
                  })),
                }
              : verdict,
          ),
      }),
  };
}
