import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { openBelay } from "../../../src/index.ts";

/** Drives many agents at once; each starts a process that outlives it. Then it waits to be killed. */
const [home = "", count = "0"] = process.argv.slice(2);
const belay = await openBelay({ home });
await Promise.all(Array.from({ length: Number(count) }, (_, nth) => drive(nth)));

async function drive(nth: number): Promise<void> {
  const place = { agent: "agent", session_id: `crowd-${nth}`, cwd: join(home, "work") };
  const message = "/run setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000";
  for await (const event of belay.run({ ...place, message })) {
    if (event.type === "tool_call") appendFileSync(join(home, "running.txt"), `${nth}\n`);
  }
}
