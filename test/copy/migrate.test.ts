import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { composeMigration } from "../../src/compose-copy.ts";
import { openBelay } from "../../src/index.ts";

const root = mkdtempSync(join(tmpdir(), "belay-migrate-"));
const plain = join(root, "plain");
const run = (from: string, to: string, onProgress: (done: number) => void = () => {}) =>
  composeMigration().run({ from, to }, onProgress);

beforeAll(async () => {
  await record(plain, "Write to Ann");
  writeFileSync(join(plain, "recovery.json"), "{}");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

async function record(home: string, input: string, id = "letters"): Promise<void> {
  const belay = await openBelay({ home });
  await belay.sessions.create({ agent_name: "scribe", session_id: id });
  await belay.turns.record({ id, input, output: "A long answer. ".repeat(1000) });
  await belay.close();
}

describe("belay migrate", () => {
  it("copies a data folder into files, with its settings, ready for use", async () => {
    const folder = join(root, "as-files");
    const done: number[] = [];
    const report = await run(`sqlite:${plain}`, `files:${folder}`, (n) => done.push(n));
    expect(report).toMatchObject({ skipped: 0, newer: 0, encrypted: false });
    expect(report.settings).toEqual(["recovery.json"]);
    expect(done.at(-1)).toBe(report.events);
    const belay = await openBelay({ home: folder });
    const { turns } = await belay.turns.list({ id: "letters" });
    expect(JSON.stringify(turns)).toContain("A long answer. A long answer.");
    expect(await belay.maintenance.verify()).toMatchObject({ ok: true, findings: [] });
    await belay.turns.record({ id: "letters", input: "and then", output: "it goes on" });
    await belay.close();
  });

  it("copies one moment, reports later changes, and copies them the next time", async () => {
    const [source, folder] = [join(root, "busy"), join(root, "busy-copy")];
    await record(source, "before");
    const belay = await openBelay({ home: source });
    const writing: Promise<unknown>[] = [];
    const first = await run(`sqlite:${source}`, `files:${folder}`, () => {
      if (writing.length > 0) return;
      writing.push(belay.turns.record({ id: "letters", input: "meanwhile", output: "yes" }));
    });
    await Promise.all(writing);
    await belay.close();
    const second = await run(`sqlite:${source}`, `files:${folder}`);
    expect(second).toMatchObject({ newer: 0, skipped: first.events });
    expect(second.events).toBeGreaterThan(first.events);
    // The write may have ended after the last look at the source.
    expect([0, second.events - first.events]).toContain(first.newer);
  });

  it("copies encrypted data without the key, and it stays encrypted", async () => {
    const [source, folder] = [join(root, "sealed"), join(root, "sealed-copy")];
    const key = join(root, "key");
    writeFileSync(key, `${"ab".repeat(32)}\n`, { mode: 0o600 });
    vi.stubEnv("BELAY_KEY_FILE", key);
    await record(source, "a secret wish");
    vi.stubEnv("BELAY_KEY_FILE", undefined);
    expect(await run(`sqlite:${source}`, `files:${folder}`)).toMatchObject({ encrypted: true });
    await expect(openBelay({ home: folder })).rejects.toMatchObject({
      code: "encryption_key_missing",
    });
    expect(textIn(folder)).not.toContain("secret wish");
    expect(textIn(folder)).not.toContain("letters");
    vi.stubEnv("BELAY_KEY_FILE", key);
    const belay = await openBelay({ home: folder });
    const { turns } = await belay.turns.list({ id: "letters" });
    expect(JSON.stringify(turns)).toContain("a secret wish");
    expect(await belay.maintenance.verify()).toMatchObject({ ok: true });
    await belay.turns.record({ id: "letters", input: "another wish", output: "granted" });
    expect(readdirSync(folder)).not.toContain("agent_sessions");
    await belay.close();
    vi.stubEnv("BELAY_KEY_FILE", undefined);
  });

  it.each([
    { what: "plain", keys: ["", ""] },
    { what: "encrypted", keys: ["key", "key"] },
  ])(
    "keeps cursors of sessions and of the feed: $what",
    async ({ what, keys: [before, after] }) => {
      const [source, folder] = [join(root, `cursors-${what}`), join(root, `cursors-${what}-copy`)];
      const key = join(root, "key");
      writeFileSync(key, `${"ab".repeat(32)}\n`, { mode: 0o600 });
      const useKey = (name = "") => vi.stubEnv("BELAY_KEY_FILE", name === "" ? undefined : key);
      useKey(before);
      await record(source, "first");
      let belay = await openBelay({ home: source });
      const id = "letters";
      const { cursor } = await belay.sessions.log({ id });
      const feed = await belay.past.events();
      await belay.turns.record({ id, input: "second", output: "x" });
      await belay.close();
      useKey();
      await run(`sqlite:${source}`, `files:${folder}`);
      useKey(after);
      belay = await openBelay({ home: folder });
      await belay.turns.record({ id, input: "third", output: "x" });
      const rest = await belay.sessions.log({ id, after: cursor ?? "" });
      const inputs = (events: readonly { readonly data: object }[]) =>
        events.flatMap(({ data }) => ("input" in data ? [data.input] : []));
      expect(inputs(rest.events)).toEqual(["second", "third"]);
      const news = await belay.past.events({ after: feed.cursor });
      expect(inputs(news.events)).toEqual(["second", "third"]);
      await belay.close();
      useKey();
    },
  );

  it.each([
    ["the same store", `sqlite:${plain}`, `sqlite:${plain}/.`, "usage"],
    ["one folder for two stores", `sqlite:${plain}`, `files:${plain}`, "usage"],
    ["a source that is not there", `sqlite:${root}/none`, `files:${root}/x`, "storage_missing"],
    ["a source of another kind", `files:${plain}`, `files:${root}/x`, "storage_missing"],
    ["no store at all", `sqlite:${plain}`, "cupboard", "usage"],
    ["no folder", "sqlite:", `files:${root}/x`, "usage"],
  ])("refuses %s", async (_what, from, to, code) => {
    await expect(run(from, to)).rejects.toMatchObject({ code });
  });

  it("refuses a target of another kind, or with other data", async () => {
    const other = join(root, "other");
    await record(other, "something else", "elsewhere");
    await expect(run(`sqlite:${plain}`, `files:${other}`)).rejects.toMatchObject({
      code: "storage_unsupported",
    });
    await expect(run(`sqlite:${plain}`, `sqlite:${other}`)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

function textIn(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}
