import { type Belay, openBelay } from "../../../src/index.ts";
import { openAcknowledgements } from "../acknowledgements.ts";

/**
 * One of every kind of write: create, turns one by one and sixteen at a time, fork, suspend, resume, and the final
 * checkpoint. Reports the promises; the control "hasty" reports too early.
 */
const [, , home = "", said = "", mode = "honest"] = process.argv;
const isHasty = mode === "hasty";
const acknowledge = openAcknowledgements(said);
const belay = await openBelay({ home });

await create("alpha-session");
for (let n = 1; n <= 4; n += 1) await turn("alpha-session", `alpha ${n}`);
await many("alpha-session", "alpha of sixteen");
await create("beta-session");
await promise("alpha-fork", "alpha-fork", () =>
  belay.sessions.fork({ id: "alpha-session", at: 5, session_id: "alpha-fork" }),
);
for (let n = 1; n <= 3; n += 1) await turn("alpha-fork", `fork ${n}`);
await promise("alpha-session", "user_requested", () =>
  belay.sessions.suspend({ id: "alpha-session" }),
);
await belay.sessions.resume({ id: "alpha-session" });
await Promise.all([many("alpha-session", "alpha again"), many("beta-session", "beta of sixteen")]);
await belay.close();

function create(session_id: string): Promise<void> {
  return promise(session_id, session_id, () =>
    belay.sessions.create({ agent_name: "worker", session_id }),
  );
}

async function many(session: string, name: string): Promise<void> {
  const each = Array.from({ length: 16 }, (_, n) => turn(session, `${name} ${n}`));
  await Promise.all(each);
}

function turn(id: string, input: string): Promise<void> {
  return promise(id, input, () => belay.turns.record({ id, input, output: "done ".repeat(40) }));
}

async function promise(
  session: string,
  text: string,
  work: () => Promise<{ version: number } | Awaited<ReturnType<Belay["sessions"]["get"]>>>,
): Promise<void> {
  if (isHasty) acknowledge({ session, version: null, text });
  const { version } = await work();
  if (!isHasty) acknowledge({ session, version, text });
}
