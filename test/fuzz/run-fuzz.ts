import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { seededRandom } from "../crash/seeded-random.ts";
import { CORPUS, mutate, seedsOf } from "./mutate.ts";
import { type FuzzTarget, TARGETS } from "./targets.ts";

/**
 * `npm run fuzz [-- SECONDS [SEED]]`: every parser of outside input, for this long each. An input that breaks one is
 * written into the corpus, where `npm test` tries it from then on.
 */
const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
/** Longer than this for at most 64 KiB is a failure too. */
const SLOW_MS = 2000;
let failures = 0;

for (const [name, target] of Object.entries<FuzzTarget>(TARGETS)) {
  const random = seededRandom(seed);
  const seeds = seedsOf(name);
  const end = performance.now() + seconds * 1000;
  let tried = 0;
  while (performance.now() < end) {
    const input = mutate(seeds, random);
    const cut = random(input.length + 1);
    const started = performance.now();
    tried += 1;
    try {
      await target(input, cut);
      const ms = performance.now() - started;
      if (ms > SLOW_MS) throw new Error(`took ${Math.round(ms)} ms`);
    } catch (error) {
      failures += 1;
      const digest = createHash("sha256").update(input).digest("hex").slice(0, 12);
      const file = `${CORPUS}${name}-${digest}`;
      writeFileSync(file, input);
      const why = error instanceof Error ? error.message : String(error);
      process.stdout.write(`${name}: ${why}\n  ${file} (cut at ${cut})\n`);
      if (failures >= 20) process.exit(1);
    }
  }
  process.stdout.write(`${name}: ${tried} inputs in ${seconds} s, seed ${seed}\n`);
}
process.exit(failures === 0 ? 0 : 1);
