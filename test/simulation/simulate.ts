import { parseArgs } from "node:util";
import { CONTROLS } from "./controls.ts";
import { FAULTS } from "./faults.ts";
import { judgeWorld } from "./judge-world.ts";
import { playWorld, Threads } from "./world.ts";

/* `npm run simulate -- --seed N` prints one world; without a seed it draws worlds for `--seconds`. */

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seconds: { type: "string", default: "60" },
    from: { type: "string" },
    to: { type: "string" },
    control: { type: "string" },
    fault: { type: "string" },
  },
});
const control = CONTROLS.find((each) => each === values.control);
const threads = await Threads.start();
try {
  if (values.seed !== undefined) {
    const world = playWorld(threads, Number(values.seed), { onLine: (line) => console.log(line) });
    report(world.seed, judgeWorld(world));
    console.log(`${world.steps} steps, ${world.digest}`);
  } else {
    draw(Number(values.seconds));
  }
} finally {
  await threads.end();
}

function draw(seconds: number): void {
  const until = performance.now() + seconds * 1000;
  const from = Number(values.from ?? Math.floor(Math.random() * 1e9));
  const to = Number(values.to ?? Number.POSITIVE_INFINITY);
  let worlds = 0;
  let failed = 0;
  for (let seed = from; seed < to && performance.now() < until; seed += 1) {
    if (values.fault !== undefined && FAULTS[seed % FAULTS.length] !== values.fault) continue;
    worlds += 1;
    const world = playWorld(threads, seed, control ? { control } : {});
    const problems = judgeWorld(world);
    if (problems.length > 0) failed += 1;
    report(seed, problems);
  }
  console.log(`${worlds} worlds, ${failed} with problems`);
}

function report(seed: number, problems: readonly string[]): void {
  if (problems.length === 0) return;
  process.exitCode = 1;
  console.log(`seed ${seed}: ${problems.slice(0, 6).join("; ")}`);
}
