import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Tally } from "./tally.ts";

const Counted = z.strictObject({
  scenarios: z.number().int(),
  deaths: z.number().int(),
  acknowledged: z.number().int(),
  lost: z.number().int(),
  duplicated: z.number().int(),
  other: z.number().int(),
  listed: z.number().int(),
  controls: z.record(z.string(), z.number().int()),
});
export type Counted = z.infer<typeof Counted>;

/** The results of the last full campaign. */
export const Figures = z.strictObject({
  seed: z.number().int(),
  minutes: z.number(),
  simulated: Counted,
  real: Counted,
});
export type Figures = z.infer<typeof Figures>;

export function countedOf(tally: Tally, controls: Record<string, number>): Counted {
  const { violations, ...counted } = tally;
  return { ...counted, controls };
}

const BEGIN = "<!-- campaign -->";
const END = "<!-- /campaign -->";
const guide = fileURLToPath(new URL("../../docs/guide/promises.md", import.meta.url));
const file = fileURLToPath(new URL("./figures.json", import.meta.url));

export function readFigures(): Figures {
  return Figures.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** The guide's paragraph about the campaign, between its marks. */
export function readParagraph(): string {
  const text = readFileSync(guide, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the guide lacks ${BEGIN} and ${END}`);
  return text.slice(begin + BEGIN.length, end).trim();
}

export function writeFigures(figures: Figures): void {
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
  const paragraph = `${BEGIN}\n${describeFigures(figures)}\n${END}`;
  const text = readFileSync(guide, "utf8");
  const marked = new RegExp(`${BEGIN}[^]*${END}`);
  writeFileSync(
    guide,
    text.replace(marked, () => paragraph),
  );
}

/** Only results of real processes on a real disk. */
export function describeFigures({ real, minutes }: Figures): string {
  const n = (count: number): string => count.toLocaleString("en-US");
  const caught = Object.values(real.controls).filter((count) => count > 0).length;
  return [
    "`npm run test:crash` starts programs with effects outside of Belay and kills them with SIGKILL: at random moments, between",
    "any two steps, and during writes to the disk. It also kills the recovery that follows, and the answers to its questions. Then",
    "it compares the logs with the acknowledged changes and with the effects. Every action has one result. Belay asks about an",
    "action that may have had an effect and does not repeat it. A second recovery changes nothing. The campaign catches setups that",
    `are broken on purpose (${caught} of ${Object.keys(real.controls).length}).`,
    "",
    "| real kills | sessions | acknowledged events | lost | effects wrongly repeated | listed as unknown |",
    "|---|---|---|---|---|---|",
    `| ${n(real.deaths)} in ${n(minutes)} minutes | ${n(real.scenarios)} | ${n(real.acknowledged)} | ${n(real.lost)} | ${n(real.duplicated)} | ${n(real.listed)} |`,
  ].join("\n");
}
