import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/compose-store.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { answersOf, type Played, play } from "../parity/scenario.ts";
import { openServiceDoor } from "../parity/service-door.ts";
import { WHOLE_LIFE } from "../parity/whole-life.ts";
import { withKey } from "../sealed/with-key.ts";

/** Texts that stay readable: names of agents and people, and words that are part of a status, an event's type or a file's name. */
const READABLE =
  /^(?:planner|local|demo|active|suspended|completed|failed|investigating|merged|moved|approval\.requested|json|key-1)$/;

it("leaves no text of a whole life readable, and gives the same answers as without encryption", async () => {
  const [plain, sealed] = [await live(), await withKey(live)];
  expect(comparableAnswers(sealed)).toEqual(comparableAnswers(plain));
  const texts = textsIn(plain.played.steps.map(({ input }) => input)).filter(
    (text) => text.length > 3 && !READABLE.test(text),
  );
  expect(texts.filter((text) => isFound(sealed.files, text))).toEqual([]);
  // Without encryption they are there, so the search would find them.
  const found = texts.filter((text) => isFound(plain.files, text));
  expect(found).toContain("the first try failed");
  expect(found.length).toBeGreaterThan(texts.length / 2);
});

/** The reason why files were not recorded is another one. */
function comparableAnswers({ played }: Life): unknown {
  const text = JSON.stringify(answersOf(played), (key, value) =>
    key === "files_skipped" ? "skipped" : value,
  );
  return JSON.parse(text);
}

interface Life {
  readonly played: Played;
  /** Every byte of the data folder, before and after the store was closed. */
  readonly files: readonly Buffer[];
}

async function live(): Promise<Life> {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const store = await openStore({ home, onNotice: () => {} });
  const door = await openServiceDoor(home, store);
  const played = await play(WHOLE_LIFE, door, door, folder);
  const open = bytesIn(home);
  await door.close();
  return { played, files: [...open, ...bytesIn(home)] };
}

function bytesIn(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() ? [Buffer.from(`${name}\n`), readFileSync(path)] : [];
  });
}

function isFound(files: readonly Buffer[], text: string): boolean {
  const escaped = JSON.stringify(text).slice(1, -1);
  return files.some((bytes) => bytes.includes(text) || bytes.includes(escaped));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return [
    ...new Set([...Object.values(value).flatMap(textsIn), ...(keys.includes("ключ") ? keys : [])]),
  ];
}
