import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { damageDocument } from "./damage-document.ts";
import { damageLines } from "./damage-lines.ts";
import { DOCUMENT_SAMPLES, wordOf } from "./document-samples.ts";
import { CALLER, ImportPlace } from "./import-place.ts";
import { LINE_SAMPLES } from "./samples.ts";

/** Imports one damaged file: every intact record is kept, the file is unchanged, and a second import adds nothing. */
export async function expectValidRecordsKept(tool: ImportTool, seed: number): Promise<void> {
  const place = new ImportPlace();
  try {
    const { kind, name, content, words } = damagedSample(tool, seed);
    const file = place.write(name, content);
    const report = await place.import(tool);
    const log = JSON.stringify(await everyEvent(place));
    const missing = words.filter((word) => !log.includes(word));
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

/** A damaged file of the tool, and the words of the intact records. */
function damagedSample(tool: ImportTool, seed: number) {
  const document = DOCUMENT_SAMPLES[tool];
  if (document) {
    const pieces = document.pieces(seed % 20 < 10 ? "," : ",\n");
    const { kind, content, intact } = damageDocument(pieces, seed);
    return { kind, name: document.file, content, words: intact.map(wordOf) };
  }
  const sample = LINE_SAMPLES[tool]?.();
  if (!sample) throw new Error(`there is no sample of ${tool}`);
  const { kind, content, intact } = damageLines(sample.records, seed);
  const words = intact.flatMap((at) => sample.words[at] ?? []);
  return { kind, name: sample.file, content, words };
}

async function everyEvent(place: ImportPlace) {
  const { sessions } = await place.service.call("list", {}, CALLER);
  return Promise.all(sessions.map(({ session_id }) => place.log(session_id)));
}
