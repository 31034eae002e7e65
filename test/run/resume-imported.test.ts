import { afterEach, expect, it } from "vitest";
import type { Conversation } from "../../src/import/conversation.ts";
import { findBranches } from "../../src/import/find-branches.ts";
import { writeConversation } from "../../src/import/write-conversation.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { newId } from "../../src/service/new-id.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { answers, factsOf, find, type Lab, openLab, promptEnding, talk } from "./run-lab.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** A conversation of one turn, as a reader would return it. */
function conversation(id: string, session_id: string, cwd: string): Conversation {
  const at = Date.UTC(2026, 0, 5);
  const nodes = [
    { id: "p1", parent: null, kind: "prompt", group: null, ref: "prompt" },
    { id: "a1", parent: "p1", kind: "answer", group: null, ref: "answer" },
  ] as const;
  return {
    ...{ id, cwd, title: "Door", git_branch: null, started_at: at, updated_at: at },
    ...{ agent: { name: "agent", session_id }, parent: null, metadata: {} },
    branches: (stored) =>
      findBranches(nodes, stored, function* (refs) {
        for (const ref of refs) {
          if (ref === "prompt") yield { kind: "prompt", at, text: "the door code is 4711" };
          else yield { kind: "said", at, as: "message", text: "Noted." };
        }
      }),
  };
}

async function bringIn(lab: Lab, id: string, agent_session: string): Promise<void> {
  const store = await openSqliteStore({ folder: lab.home, isAlive });
  opened.push(store);
  const caller = { owner: "local", actor: "test", interface: "cli", trace_id: null } as const;
  await writeConversation(
    { store, now: Date.now, newId },
    caller,
    conversation(id, agent_session, lab.cwd),
    { source: "claude-code", dry_run: false, drivenBy: () => null, startedBy: () => null },
  );
}

it("an imported session continues in the agent's own session if the agent still has it", async () => {
  const lab = await openLab();
  const { id } = await talk(lab, "the door code is 4711");
  const [started] = await factsOf(lab, id, "agent.started");
  await bringIn(lab, "imported-1", String(started?.agent_session_id));
  const { events } = await answers(lab, "imported-1");
  expect(find(events, "agent")).toMatchObject([{ state: "started", how: "resume" }]);
});

it("an imported session is given to the agent as text if the agent no longer has it", async () => {
  const lab = await openLab();
  await bringIn(lab, "imported-2", "demo-00000000-0000-4000-8000-000000000000");
  const { events } = await answers(lab, "imported-2");
  expect(find(events, "agent")).toMatchObject([{ state: "started", how: "replay" }]);
  expect(promptEnding(lab, "/say still here")).toContain("4711");
});
