import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { damageLines } from "./damage-lines.ts";
import { CALLER, ImportPlace } from "./import-place.ts";
import { LINE_SAMPLES } from "./samples.ts";

/** Imports one damaged file: every whole record is kept, the file is not changed, and a second import adds nothing. */
export async function expectValidRecordsKept(tool: ImportTool, seed: number): Promise<void> {
  const sample = LINE_SAMPLES[tool]?.();
  if (!sample) throw new Error(`there is no sample of ${tool}`);
  const place = new ImportPlace();
  try {
    const { kind, content, intact } = damageLines(sample.records, seed);
    const file = place.write(sample.file, content);
    const report = await place.import(tool);
    const log = JSON.stringify(await everyEvent(place));
    const missing = intact
      .map((at) => sample.words[at])
      .filter((word) => word != null && !log.includes(word));
    expect({ kind, missing }).toEqual({ kind, missing: [] });
    for (const { line } of report.damage) expect(line).toBeGreaterThan(0);
    expect(readFileSync(file).equals(content)).toBe(true);
    expect({ kind, ...(await place.import(tool)) }).toMatchObject({
      kind,
      turns: 0,
      new_sessions: 0,
    });
  } finally {
    place.remove();
  }
}

async function everyEvent(place: ImportPlace) {
  const { sessions } = await place.service.call("list", {}, CALLER);
  return Promise.all(sessions.map(({ session_id }) => place.log(session_id)));
}
