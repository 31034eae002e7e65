import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Bundles } from "../bundle-campaign.ts";
import type { Tally } from "../tally.ts";
import { addTallies, emptyTally } from "../tally.ts";
import type { Share } from "./sweep.ts";

type Said = { progress: Tally } | { tally: Tally } | { caught: Record<string, number> };

/** The simulated deaths, in several processes at once. */
export async function runSimulated(
  bundles: Bundles,
  { lanes, ...share }: Omit<Share, "lane">,
  onProgress: (tally: Tally) => void,
): Promise<Tally> {
  const tallies = Array.from({ length: lanes }, emptyTally);
  await Promise.all(
    tallies.map((_, lane) =>
      hear(bundles, ["sweep", JSON.stringify({ ...share, lanes, lane })], (said) => {
        if ("caught" in said) return;
        tallies[lane] = "tally" in said ? said.tally : said.progress;
        onProgress(addTallies(tallies));
      }),
    ),
  );
  return addTallies(tallies);
}

/** How often each broken setup was caught. */
export async function runSimulatedControls(
  bundles: Bundles,
  enough: number,
): Promise<Record<string, number>> {
  let caught: Record<string, number> = {};
  await hear(bundles, ["controls", `${enough}`], (said) => {
    if ("caught" in said) caught = said.caught;
  });
  return caught;
}

async function hear(
  { simulate }: Bundles,
  args: readonly string[],
  onSaid: (said: Said) => void,
): Promise<void> {
  const env = { ...process.env, NODE_OPTIONS: "" };
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [simulate, ...args], { env, stdio: [...stdio] });
  const ended = once(child, "exit");
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) onSaid(JSON.parse(line));
  }
  await ended;
  if (child.exitCode !== 0) throw new Error(`the simulated machine failed (${child.exitCode})`);
}
