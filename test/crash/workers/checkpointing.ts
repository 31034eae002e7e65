import { openBelay } from "../../../src/index.ts";
import { openAcknowledgements } from "../acknowledgements.ts";

/**
 * Appends to a write-ahead log that is nearly full: one of these appends moves it into the database, the next starts a
 * new one.
 */
const [, , home = "", said = ""] = process.argv;
const acknowledge = openAcknowledgements(said);
const belay = await openBelay({ home });
for (let n = 1; n <= 8; n += 1) {
  const text = `turn ${n}`;
  const { version } = await belay.turns.record({ id: "gamma-session", input: text, output: "" });
  acknowledge({ session: "gamma-session", version, text });
}
await belay.close();
