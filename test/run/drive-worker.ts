import { openBelay } from "../../src/index.ts";

/** A separate process that sends one message and prints one line per event. It stays while its input is open. */
const [home, message, id, cwd] = process.argv.slice(2);
if (home === undefined || message === undefined) throw new Error("a home and a message are needed");
const belay = await openBelay({ home });
const place = id ? { id } : { agent: "agent", ...(cwd === undefined ? {} : { cwd }) };
for await (const event of belay.run({ ...place, message })) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
for await (const _ of process.stdin);
await belay.close();
