import { openBelay } from "../../../src/index.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

/** Sends turns whose idempotency keys another client sends too. Without keys it is the control. */
const [, , home = "", id = "", keyed = "", ...texts] = process.argv;
const belay = await openBelay({ home });
await whenAllAreReady();
const answers = await Promise.all(
  texts.map(async (text) => {
    const key = keyed === "keyed" ? { idempotency_key: text } : {};
    const turn = await belay.turns.record({ id, input: text, output: "", ...key });
    return { text, version: turn.version, turn_id: turn.turn_id };
  }),
);
await belay.close();
reportBack(answers);
