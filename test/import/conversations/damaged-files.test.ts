import { describe, expect, it } from "vitest";
import { IMPORT_TOOLS } from "../../../src/contract/vocabulary.ts";
import { damageLines } from "./damage-lines.ts";
import { ImportPlace, lines } from "./import-place.ts";
import { expectValidRecordsKept } from "./keeps-valid-records.ts";
import { LINE_SAMPLES } from "./samples.ts";

// `npm run test:import` tries sixty per reader.
const many = Number(process.env.BELAY_DAMAGED_FILES ?? 0);
const SEEDS = many > 0 ? Array.from({ length: many }, (_, seed) => seed) : [0, 1, 2, 4, 5, 8];

describe.each(IMPORT_TOOLS)("damaged files of %s", (tool) => {
  it.each(SEEDS)("keep every complete record (%i)", (seed) => expectValidRecordsKept(tool, seed));
});

it.each(["claude-code", "qwen"] as const)("gaps in files of %s are reported", async (tool) => {
  const sample = LINE_SAMPLES[tool]?.();
  const place = new ImportPlace();
  const file = place.write(sample?.file ?? "", lines(sample?.records.toSpliced(4, 2) ?? []));
  const { damage } = await place.import(tool, { dry_run: true });
  expect(damage).toMatchObject([
    { file, line: 5, why: expect.stringMatching(/^the record before it, .*, is missing$/) },
  ]);
  place.remove();
});

describe.each(IMPORT_TOOLS.filter((tool) => LINE_SAMPLES[tool]))("damaged lines of %s", (tool) => {
  it("are reported by file and line, and a torn tail is left for the next time", async () => {
    const sample = LINE_SAMPLES[tool]?.();
    if (!sample) throw new Error("there is no sample");
    const place = new ImportPlace();
    const file = place.write(sample.file, damageLines(sample.records, 1).content);
    const { damage } = await place.import(tool, { dry_run: true });
    expect(damage).toMatchObject([{ file, why: "records run together" }]);
    place.write(sample.file, damageLines(sample.records, 0).content);
    expect(await place.import(tool, { dry_run: true })).toMatchObject({ damaged: 0 });
    place.remove();
  });
});
