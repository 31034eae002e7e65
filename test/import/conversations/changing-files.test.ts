import { appendFileSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { importConversations } from "../../../src/import/import-conversations.ts";
import { IMPORTERS } from "../../../src/integrations/importers.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { CALLER, ImportPlace, lines } from "./import-place.ts";

const ID = "44444444-aaaa-4bbb-8ccc-0000000000ee";
const TURNS = 600;

let place: ImportPlace;
let claude: ClaudeLines;
let file: string;
beforeEach(() => {
  place = new ImportPlace();
  claude = new ClaudeLines(ID);
  for (let turn = 0; turn < TURNS; turn += 1) {
    claude.user(`prompt ${turn}`);
    claude.says(`answer ${turn}`);
  }
  file = place.write(`p/${ID}.jsonl`, lines(claude.records));
});
afterEach(() => place.remove());

function start(onProgress: () => void, signal?: AbortSignal) {
  const options = { path: place.folder, dry_run: false, since: null, onProgress };
  return importConversations(place.context, CALLER, IMPORTERS["claude-code"], {
    ...options,
    ...(signal && { signal }),
  });
}

it("a file that grows while it is read is read to its earlier end, and the rest the next time", async () => {
  const known = claude.records.length;
  claude.user("a late prompt");
  claude.says("a late answer");
  const late = lines(claude.records.slice(known));
  let grown = 0;
  // The first batch is written by then, and the others are still to be read.
  const first = await start(() => {
    if (grown === 0) appendFileSync(file, late.slice(0, -20));
    grown += 1;
  });
  expect(grown).toBeGreaterThan(2);
  expect(first).toMatchObject({ turns: TURNS, damaged: 0 });
  appendFileSync(file, late.slice(-20));
  const bytes = readFileSync(file);
  expect(await place.import("claude-code")).toMatchObject({ turns: 1, damaged: 0 });
  expect(await place.import("claude-code")).toMatchObject({ turns: 0 });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect((await place.told(ID)).at(-1)).toBe("a late prompt | a late answer");
});

it("an import that is stopped keeps its results, and the next one continues there", async () => {
  const stop = new AbortController();
  const told: number[] = [];
  const { turns } = await start(() => stop.abort(), stop.signal);
  expect(turns).toBeGreaterThan(0);
  expect(turns).toBeLessThan(TURNS);
  const rest = await start(() => told.push(1));
  expect(rest.turns).toBe(TURNS - turns);
  const stored = await place.turns(ID);
  expect(stored).toHaveLength(TURNS);
  expect(new Set(stored.map(({ turn_id }) => turn_id)).size).toBe(TURNS);
});

it("two imports at once report the number of turns together", async () => {
  const [one, other] = await Promise.all([start(() => {}), start(() => {})]);
  expect((one?.turns ?? 0) + (other?.turns ?? 0)).toBe(TURNS);
});
