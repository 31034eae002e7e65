import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundleCampaign } from "./bundle-campaign.ts";
import type { Counted } from "./figures.ts";
import { countedOf, writeFigures } from "./figures.ts";
import { runReal, runRealControls } from "./real/run-real.ts";
import { runSimulated, runSimulatedControls } from "./simulated/run-simulated.ts";
import type { Tally } from "./tally.ts";

const LANES = 2;
/** A shorter run is not a campaign, and does not update the guide. */
const FULL_MINUTES = 10;

/** `npm run test:crash [-- --seed N --minutes M --real-only --simulated-only]`. True if no violation was found. */
export async function runCampaign(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      minutes: { type: "string", default: "30" },
      "real-only": { type: "boolean", default: false },
      "simulated-only": { type: "boolean", default: false },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const minutes = Number(values.minutes);
  const [isSimulated, isReal] = [!values["real-only"], !values["simulated-only"]];
  const isBoth = isSimulated && isReal;
  say(`seed ${seed}, ${minutes} minutes`);
  const bundles = await bundleCampaign();
  const share = (part: number): number => minutes * 60_000 * (isBoth ? part : 1);
  const again = `npm run test:crash -- --seed ${seed} --minutes ${minutes}`;
  try {
    let [simulated, real]: (Counted | null)[] = [null, null];
    let sound = true;
    if (isSimulated) {
      const controls = await runSimulatedControls(bundles, 20);
      const work = { seed, lanes: LANES, milliseconds: share(0.3), stride: 1 };
      const tally = await runSimulated(bundles, work, progress("simulated"));
      simulated = countedOf(tally, controls);
      sound = conclude("simulated deaths", tally, controls, `${again} --simulated-only`) && sound;
    }
    if (isReal) {
      const controls = await runRealControls(bundles, seed);
      const work = { seed, lanes: LANES, milliseconds: share(0.65) };
      const tally = await runReal(bundles, work, progress("real"));
      real = countedOf(tally, controls);
      sound = conclude("real deaths (SIGKILL)", tally, controls, `${again} --real-only`) && sound;
    }
    if (sound && simulated && real && minutes >= FULL_MINUTES) {
      writeFigures({ seed, minutes: Math.round(minutes * 0.65), simulated, real });
      say("docs/guide/promises.md and test/campaign/figures.json have the new figures");
    }
    return sound;
  } finally {
    rmSync(bundles.folder, { recursive: true, force: true });
  }
}

function conclude(
  title: string,
  tally: Tally,
  controls: Readonly<Record<string, number>>,
  again: string,
): boolean {
  const { scenarios, deaths, acknowledged, lost, duplicated, other, listed, violations } = tally;
  say(`\n${title}`);
  const rows = { scenarios, deaths, acknowledged, lost, duplicated, "other violations": other };
  for (const [name, count] of Object.entries({ ...rows, "listed as unknown": listed })) {
    say(`  ${name.padEnd(20)} ${count.toLocaleString("en-US").padStart(12)}`);
  }
  say("  broken setups, and how often each was caught");
  for (const [name, count] of Object.entries(controls)) {
    say(`    ${name.padEnd(40)} ${count > 0 ? `failed as it should (${count})` : "NOT CAUGHT"}`);
  }
  for (const violation of violations.slice(0, 20)) say(`\n  VIOLATION: ${violation}`);
  const isSound = lost + duplicated + other === 0 && Object.values(controls).every(Boolean);
  if (!isSound) say(`\n  to see it again: ${again}`);
  return isSound;
}

function progress(what: string): (tally: Tally) => void {
  let said = performance.now();
  return ({ scenarios, deaths, lost, duplicated, other, listed }) => {
    if (performance.now() - said < 15_000) return;
    said = performance.now();
    const bad = lost + duplicated + other;
    say(`${what}: ${scenarios} scenarios, ${deaths} deaths, ${listed} listed, ${bad} violations`);
  };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
