import { openBelay } from "../../../src/index.ts";
import type { ServerPlace } from "../../serve/server-process.ts";

const AT_ONCE = 500;

/** Writes directly into the store, many at once, because thousands of requests would take much longer. */
export async function fillSessions({ home }: ServerPlace, count: number): Promise<void> {
  const belay = await openBelay({ home });
  try {
    await inBatches(count, (nth) =>
      belay.sessions.create({
        agent_name: `agent-${nth % 7}`,
        session_id: `many-${nth}`,
        title: `Session number ${nth}`,
        project: { cwd: `/srv/project-${nth % 13}`, repo: null, branch: "main" },
      }),
    );
  } finally {
    await belay.close();
  }
}

/** One session with this many turns; returns its id. */
export async function fillTurns({ home }: ServerPlace, count: number): Promise<string> {
  const belay = await openBelay({ home });
  try {
    const { session_id: id } = await belay.sessions.create({
      agent_name: "elsewhere",
      session_id: "long-one",
      title: "A long one",
    });
    await inBatches(count, (nth) =>
      belay.turns.record({
        id,
        input: `Question ${nth} of many`,
        output: `Answer ${nth}.\n\n- one point\n- another, with \`code\`\n\n${"A few more words. ".repeat(nth % 20)}`,
      }),
    );
    return id;
  } finally {
    await belay.close();
  }
}

async function inBatches(count: number, write: (nth: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - from);
    await Promise.all(Array.from({ length: size }, (_, at) => write(from + at + 1)));
  }
}
