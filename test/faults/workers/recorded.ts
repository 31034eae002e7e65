import { Readable } from "node:stream";
import { openBelay } from "../../../src/index.ts";
import { openAcknowledgements } from "../../crash/acknowledgements.ts";

/**
 * Every kind of write that a power cut may hit, in rounds, and reports the promises. Others run it at the same time on
 * the same data, so a session that all of them write to may exist already.
 */
const [, , home = "", said = "", name = "", rounds = "1"] = process.argv;
const acknowledge = openAcknowledgements(said);
const belay = await openBelay({ home });
const own = `${name}-session`;

await create(own);
await belay.sessions.create({ agent_name: "worker", session_id: "shared" }).catch(() => undefined);
for (let round = 1; round <= Number(rounds); round += 1) {
  const text = `${name} ${round}`;
  for (let n = 1; n <= 3; n += 1) await turn(own, `${text} alone ${n}`);
  await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => turn(n % 2 ? own : "shared", `${text} of six ${n}`)),
  );
  await turn(own, `${text} long`, "a long answer ".repeat(9000));
  await upload(own, `${text} `.repeat(4000));
  const fork = `${name}-fork-${round}`;
  await promise(fork, fork, () => belay.sessions.fork({ id: own, session_id: fork }));
  await turn(fork, `${text} in the fork`);
  const reason = `${text} pause`;
  await promise(own, reason, () => belay.sessions.suspend({ id: own, reason }));
  await belay.sessions.resume({ id: own });
  await purge(`${name}-gone-${round}`);
}
await belay.close();

function create(session_id: string): Promise<void> {
  return promise(session_id, session_id, () =>
    belay.sessions.create({ agent_name: "worker", session_id }),
  );
}

function turn(id: string, input: string, output = "done"): Promise<void> {
  return promise(id, input, () => belay.turns.record({ id, input, output }));
}

async function upload(id: string, text: string): Promise<void> {
  const { digest } = await belay.files.add(
    { id, name: "a.txt" },
    Readable.from([Buffer.from(text)]),
  );
  acknowledge({ session: id, version: null, text: `blob:${digest}` });
}

/** Only the purge itself is reported, because it takes everything else back. */
async function purge(session_id: string): Promise<void> {
  await belay.sessions.create({ agent_name: "worker", session_id });
  await belay.files.add(
    { id: session_id, name: "b.txt" },
    Readable.from([Buffer.from(session_id)]),
  );
  await belay.sessions.delete({ id: session_id });
  await belay.sessions.purge({ id: session_id });
  acknowledge({ session: session_id, version: null, text: "purged" });
}

async function promise(
  session: string,
  text: string,
  work: () => Promise<{ readonly version: number }>,
): Promise<void> {
  const { version } = await work();
  acknowledge({ session, version, text });
}
