import { openBelay } from "../../../src/index.ts";

/** Appends turns on request, and reports when the last was acknowledged. */
const [, , home = "", id = "", name = ""] = process.argv;
const belay = await openBelay({ home });
let sent = 0;
process.on("message", (count) => void append(Number(count)));
process.on("disconnect", () => void belay.close());
process.send?.("ready");

async function append(count: number): Promise<void> {
  let version = 0;
  for (let n = 1; n <= count; n += 1) {
    sent += 1;
    ({ version } = await belay.turns.record({ id, input: `${name} ${sent}`, output: "" }));
  }
  process.send?.({ version, at: process.hrtime.bigint().toString() });
}
