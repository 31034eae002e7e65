import { openBelay } from "../../../src/index.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

/** Appends to its own session and to a shared one in turn for this long, and reports the promises. */
const [, , home = "", own = "", shared = "", seconds = ""] = process.argv;
const belay = await openBelay({ home });
await belay.sessions.create({ agent_name: "worker", session_id: own });
await whenAllAreReady();

const end = performance.now() + Number(seconds) * 1000;
const promised = { own: 0, shared: 0 };
let slowest = 0;
while (performance.now() < end) {
  const began = performance.now();
  await belay.turns.record({ id: own, input: `${own} ${promised.own + 1}`, output: "done" });
  promised.own += 1;
  const between = performance.now();
  await belay.turns.record({ id: shared, input: `${own} ${promised.shared + 1}`, output: "done" });
  promised.shared += 1;
  slowest = Math.max(slowest, between - began, performance.now() - between);
}
await belay.close();
reportBack({ name: own, ...promised, slowest });
