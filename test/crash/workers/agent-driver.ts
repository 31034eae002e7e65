import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Belay } from "../../../src/index.ts";
import { BelayError, openBelay } from "../../../src/index.ts";

/**
 * Talks with an agent in several sessions at once, until it is killed; with `last`, once in each. Acknowledgements are
 * recorded outside Belay.
 */
const [home = "", sessions = "", last] = process.argv.slice(2);
const belay = await openBelay({ home });
await Promise.all(sessions.split(",").map((id) => talk(belay, id)));
await belay.close();

async function talk(handle: Belay, id: string): Promise<void> {
  await handle.sessions
    .create({ agent_name: "agent", session_id: id, project: project() })
    .catch(() => {});
  for (let nth = 0; ; nth += 1) {
    const name = `${id}-${process.pid}-${nth}`;
    await letGoOn(handle, id);
    await send(handle, id, last ? "/say done" : messageFor(nth, name));
    if (last) return;
  }
}

/** After a crash with work of unknown outcome, Belay asks first. */
async function letGoOn(handle: Belay, id: string): Promise<void> {
  const { approvals } = await handle.approvals.list({});
  for (const { approval_id, session_id, kind } of approvals) {
    if (session_id !== id || kind !== "recovery") continue;
    await handle.recovery.answer({ approval_id, answer: "continue" });
  }
}

async function send(handle: Belay, id: string, message: string): Promise<void> {
  try {
    for await (const event of handle.run({ id, message })) {
      if (event.type === "queued") write(`sent ${id} ${event.turn_id}`);
      if (event.type === "permission" && event.kind === "permission") {
        const { approval_id } = event;
        await handle.approvals.decide({ approval_id, decision: "approved" }).catch(() => {});
      }
    }
  } catch (error) {
    // A new question is answered in the next round.
    if (!(error instanceof BelayError) || error.code !== "recovery_pending") throw error;
  }
}

function messageFor(nth: number, name: string): string {
  const messages = [
    `/say ${name}\n/slow 60\n/say and more`,
    `/pace 2\n/chunks 60 20`,
    `/write ${name}.txt ${name}\n/say written`,
    `/run echo ${name} >> effects.txt; sleep 0.15\n/say ran`,
    "/plan one; two; three\n/tools 4\n/say looked",
    `/think about ${name}\n/ask May I?`,
  ];
  // Each process starts with another one, because few reach their second.
  return messages[(process.pid + nth) % messages.length] ?? "";
}

function project() {
  return { cwd: join(home, "work"), repo: null, branch: null };
}

function write(line: string): void {
  appendFileSync(join(home, "sent.txt"), `${line}\n`);
}
