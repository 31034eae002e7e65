import { writeSync } from "node:fs";
import { type Belay, BelayError, openBelay } from "../../../src/index.ts";
import { openAcknowledgements } from "../acknowledgements.ts";

/**
 * Continues on a failing disk: after each refusal it reads its data and tries the next turn. Prints the results as
 * lines of JSON. The control "deaf" treats refusals as acknowledgements.
 */
const [, , home = "", said = "", count = "", mode = "honest"] = process.argv;
const acknowledge = openAcknowledgements(said);
const session = "stubborn-session";
let promised = 0;

const belay = await open();
const create = { agent_name: "worker", session_id: session, idempotency_key: "once" };
for (let n = 1; promised === 0 && n <= Number(count); n += 1) {
  await attempt(belay, session, () => belay.sessions.create(create));
}
for (let n = 1; n <= Number(count); n += 1) {
  const input = `turn ${n}`;
  await attempt(belay, input, () => belay.turns.record({ id: session, input, output: "done" }));
}
await belay.close();

async function open(): Promise<Belay> {
  for (;;) {
    try {
      return await openBelay({ home });
    } catch (error) {
      report("open", error, true);
    }
  }
}

async function attempt(belay: Belay, text: string, work: () => Promise<{ version: number }>) {
  try {
    const { version } = await work();
    promised = version;
    acknowledge({ session, version, text });
    writeSync(1, `${JSON.stringify({ did: text, code: null, reads: true })}\n`);
  } catch (error) {
    if (mode === "deaf") acknowledge({ session, version: null, text });
    report(text, error, await canRead(belay));
  }
}

function report(did: string, error: unknown, reads: boolean): void {
  const code = error instanceof BelayError ? error.code : `untyped: ${error}`;
  writeSync(1, `${JSON.stringify({ did, code, reads })}\n`);
}

/** Reads all promised data from the process that was refused. */
async function canRead(belay: Belay): Promise<boolean> {
  if (promised === 0) return (await belay.sessions.list({})).sessions.length === 0;
  const { events } = await belay.sessions.log({ id: session, limit: 1000 });
  return events.length >= promised;
}
