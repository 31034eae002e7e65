import { z } from "zod";
import { CONTROLS } from "../controls.ts";
import { liveThrough } from "./life.ts";
import { sweep, sweepControl } from "./sweep.ts";

/**
 * A separate process for one share of the simulated deaths: configured by its first argument, it answers in lines of
 * JSON.
 */
const Share = z.object({
  seed: z.number(),
  lane: z.number(),
  lanes: z.number(),
  milliseconds: z.number(),
  stride: z.number(),
});

const [what = "", given = "{}"] = process.argv.slice(2);
if (what === "sweep") {
  let said = performance.now();
  const tally = await sweep(Share.parse(JSON.parse(given)), (now) => {
    if (performance.now() - said < 1000) return;
    said = performance.now();
    say({ progress: now });
  });
  say({ tally });
}
if (what === "controls") {
  const enough = z.number().parse(JSON.parse(given));
  const caught: Record<string, number> = {};
  for (const [name, control] of Object.entries(CONTROLS)) {
    caught[name] = await sweepControl(control, enough);
  }
  say({ caught });
}
if (what === "again") {
  const { scenario, deaths } = JSON.parse(given);
  say(await liveThrough(scenario, deaths));
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
