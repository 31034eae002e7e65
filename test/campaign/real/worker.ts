import { readFileSync } from "node:fs";
import { composeRecovery, createContext } from "../../../src/compose-context.ts";
import { createService } from "../../../src/compose-service.ts";
import { isAlive } from "../../../src/process/process-identity.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { CONTROLS } from "../controls.ts";
import { CALLER } from "../door.ts";
import { mortalStore } from "../mortal-store.ts";
import type { Beat } from "../outside.ts";
import { answerAll } from "../person.ts";
import { runProgram, SOUND } from "../program.ts";
import type { Scenario } from "../scenario.ts";
import { openOutside } from "./real-outside.ts";

/**
 * A program, a person or a recovery as a separate process on a real store. At the given beat it kills itself with
 * SIGKILL. Promises and effects are recorded outside Belay.
 */
const [role = "", place = "", dieAt = "0", control = ""] = process.argv.slice(2);
const home = `${place}/home`;
const outside = openOutside(place);
const scenarios: Scenario[] = JSON.parse(readFileSync(`${place}/scenarios.json`, "utf8"));
const broken = Object.entries(CONTROLS).find(([name]) => name === control)?.[1];

let beats = 0;
const beat: Beat = () => {
  beats += 1;
  if (beats === Number(dieAt)) process.kill(process.pid, "SIGKILL");
  return undefined;
};

const store = await openSqliteStore({ folder: home, isAlive });
const wrap = { program: broken?.program, recover: broken?.recovery }[role] ?? ((one) => one);
const mortal = wrap(mortalStore(store, beat));
const context = { ...createContext(mortal), recovery: composeRecovery(home, mortal) };
process.stdout.write("up\n");
if (role === "program") {
  const ways = broken?.ways ?? SOUND;
  await Promise.all(scenarios.map((each) => runProgram(context, outside, beat, each, ways)));
}
if (role === "person") {
  const answers = new Map(scenarios.map(({ session, answer }) => [session, answer]));
  await answerAll(context, outside, (session) => answers.get(session) ?? "continue");
}
if (role === "recover") {
  process.stdout.write(JSON.stringify(await createService(context).call("recover", {}, CALLER)));
}
await store.close();
