import { openBelay } from "../../../src/index.ts";
import { openAcknowledgements } from "../acknowledgements.ts";

/**
 * Appends turns on a folder with durability process, lets another handle choose power, and appends the same number
 * again.
 */
const [, , home = "", said = "", count = ""] = process.argv;
const acknowledge = openAcknowledgements(said);
const belay = await openBelay({ home, durability: "process" });
const id = "switched-session";
await belay.sessions.create({ session_id: id, agent_name: "worker" });
await belay.turns.record({ id, input: "the first turn also starts the session", output: "" });
await append();
const other = await openBelay({ home });
await other.maintenance.chooseDurability("power");
await append();
await other.close();
await belay.close();

async function append(): Promise<void> {
  for (let n = 1; n <= Number(count); n += 1) {
    const text = `turn ${n}`;
    const { version } = await belay.turns.record({ id, input: text, output: "done" });
    acknowledge({ session: id, version, text });
  }
}
