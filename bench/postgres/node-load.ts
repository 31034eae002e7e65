import { createInterface } from "node:readline";
import { turnText } from "../turn-text.ts";
import { openBelay } from "./belay-postgres.ts";

/**
 * One node under load: `node node-load.ts URL NAME CALLERS`. For each line with a number of milliseconds it appends for
 * that long, and prints how many turns were stored.
 */
const [url = "", name = "", callers = "0"] = process.argv.slice(2);

const belay = await openBelay(url);
const sessions = Array.from({ length: Number(callers) }, (_, nth) => `${name}-caller-${nth}`);
for (const session of sessions) await belay.createSession(session, "writer");
process.stdout.write("ready\n");

for await (const line of createInterface({ input: process.stdin })) {
  const end = performance.now() + Number(line);
  let turns = 0;
  await Promise.all(
    sessions.map(async (session) => {
      for (; performance.now() < end; turns++) await belay.appendTurn(session, turnText(turns));
    }),
  );
  process.stdout.write(`${turns}\n`);
}
await belay.close();
