import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Belay, openBelay } from "../../src/index.ts";
import { newPlace, runBelay } from "../serve/server-process.ts";

const root = mkdtempSync(join(tmpdir(), "belay-lost-commits-"));
const place = newPlace();
beforeAll(() => vi.stubEnv("BELAY_STORE", "files"));
afterAll(() => {
  vi.unstubAllEnvs();
  place.remove();
  rmSync(root, { recursive: true, force: true });
});

type Attack = (path: string, older: Buffer) => void;

/** What a checkout, a sync tool or a restore does to one file. */
const attacks: Readonly<Record<string, Attack>> = {
  "older in place": (path, older) => writeFileSync(path, older),
  "older as another file": (path, older) => {
    writeFileSync(`${path}.new`, older);
    renameSync(`${path}.new`, path);
  },
  removed: (path) => rmSync(path),
  "without a line in the middle": (path) => {
    const lines = readFileSync(path, "utf8").split("\n");
    lines.splice(Math.floor(lines.length / 2), 1);
    writeFileSync(path, lines.join("\n"));
  },
};
const cases = Object.keys(attacks).flatMap((how) =>
  [true, false].map((isRunning) => ({ how, isRunning })),
);

describe("commits.ndjson of a store in files", () => {
  it.each(cases)("$how, running $isRunning: no write is accepted", async ({ how, isRunning }) => {
    const { home, belay } = await fill();
    if (!isRunning) await belay.close();
    attacks[how]?.(join(home, "commits.ndjson"), readFileSync(join(home, "older")));
    if (isRunning) {
      await expect(write(belay)).rejects.toMatchObject({ code: "storage_damaged" });
      await belay.close();
    }
    // A new process cannot write either.
    expect(await outcomeOf(home, write)).toBe("storage_damaged");
    expect(await outcomeOf(home, verify)).toMatch(/damage/);
  });

  it("with one changed character is damage", async () => {
    const { home, belay } = await fill();
    await belay.close();
    const path = join(home, "commits.ndjson");
    writeFileSync(path, readFileSync(path, "utf8").replace('"from":1', '"from":2'));
    expect(await outcomeOf(home, write)).toBe("storage_damaged");
    expect(await outcomeOf(home, verify)).toMatch(/damage/);
  });

  it("of another folder or of tomorrow is not accepted", async () => {
    const [other, today] = [await fill(8), await fill()];
    await other.belay.close();
    await today.belay.close();
    const commits = join(today.home, "commits.ndjson");
    const tomorrow = readFileSync(commits);
    copyFileSync(join(other.home, "commits.ndjson"), commits);
    expect(await outcomeOf(today.home, write)).toBe("storage_damaged");
    expect(await outcomeOf(today.home, verify)).toMatch(/damage/);
    writeFileSync(commits, tomorrow);
    expect(await outcomeOf(today.home, write)).toBe("written");
    expect(await outcomeOf(today.home, verify)).toBe("sound");
  });
});

describe("another file of a store", () => {
  it.each(["anchor.txt", "log.ndjson", "state.ndjson", "files.json"])(
    "%s, removed while nothing runs: no write is accepted",
    async (name) => {
      const { home, belay } = await fill();
      await belay.close();
      rmSync(pathOf(home, name));
      // Without its state it is not known under which name a session is found.
      const expected = name === "state.ndjson" ? "session_not_found" : "storage_damaged";
      expect(await outcomeOf(home, write)).toBe(expected);
      expect(await outcomeOf(home, verify)).toMatch(/damage/);
    },
  );

  it.each(["log.ndjson", "state.ndjson"])("%s, older: no write is accepted", async (name) => {
    const { home, belay } = await fill();
    const path = pathOf(home, name);
    const older = readFileSync(path);
    await write(belay);
    writeFileSync(path, older);
    await expect(write(belay)).rejects.toMatchObject({ code: "storage_damaged" });
    await belay.close();
    expect(await outcomeOf(home, verify)).toMatch(/damage/);
  });

  it.each(["older in place", "older as another file", "removed"])(
    "a blob that is changed or removed is damage: %s",
    async (how) => {
      const { home, belay } = await fill();
      async function* hello() {
        yield Buffer.from("hello");
      }
      const { digest } = await belay.files.add({ id: "letters", name: "a.txt" }, hello());
      await belay.close();
      for (const name of [digest, `${digest}.json`]) {
        const path = join(folderOf(home), "blobs", name);
        const sound = readFileSync(path);
        attacks[how]?.(path, Buffer.from("hullo"));
        expect(await outcomeOf(home, verify)).toMatch(/damage/);
        writeFileSync(path, sound);
      }
      expect(await outcomeOf(home, verify)).toBe("sound");
    },
  );
});

it("a person can continue with what is there, and nothing is removed", async () => {
  const run = (...args: string[]) => runBelay(place, args, { BELAY_STORE: "files" });
  await run("create", "--agent", "scribe", "--id", "letters");
  const commits = join(place.home, "commits.ndjson");
  const older = readFileSync(commits);
  await run("update", "letters", "--metadata", '{"lost":"one"}');
  await run("create", "--agent", "scribe", "--id", "lost-later");
  writeFileSync(commits, older);
  expect(await run("update", "letters", "--metadata", '{"a":1}')).toMatchObject({ code: 5 });
  const named = await run("verify");
  expect(named).toMatchObject({ code: 5 });
  expect(named.stdout).toContain("commits.ndjson lacks the acknowledged commit");
  expect(named.stdout).toContain("--accept-anchor");
  const copying = ["--from", `files:${place.home}`, "--to", `sqlite:${join(root, "copied")}`];
  expect(await run("migrate", ...copying)).toMatchObject({ code: 5 });
  const accepted = await run("verify", "--accept-anchor");
  expect(accepted).toMatchObject({ code: 0 });
  expect(accepted.stdout).not.toContain("The anchor was lost");
  expect(accepted.stdout).toContain("`belay verify` lists data that was moved to quarantine");
  const again = await run("verify");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain("quarantine");
  const [time = ""] = readdirSync(join(place.home, "quarantine"));
  const kept = readdirSync(join(place.home, "quarantine", time), { recursive: true }).map(String);
  const texts = kept
    .filter((name) => name.endsWith("log.ndjson"))
    .map((name) => readFileSync(join(place.home, "quarantine", time, name), "utf8"));
  expect(texts.join("")).toContain('"lost":"one"');
  expect(await run("update", "letters", "--metadata", '{"a":1}')).toMatchObject({ code: 0 });
  expect(await run("create", "--agent", "scribe", "--id", "lost-later")).toMatchObject({ code: 0 });
  expect((await run("audit")).stdout).toContain("anchor.accepted");
});

it("a folder of the earlier format is refused with the way to carry it over", async () => {
  const home = join(root, "earlier");
  const belay = await openBelay({ home });
  await belay.close();
  writeFileSync(join(home, "files.json"), '{"belay_files":1}\n');
  await expect(openBelay({ home })).rejects.toMatchObject({
    code: "storage_unsupported",
    message: expect.stringContaining("belay migrate"),
  });
});

let homes = 0;

async function fill(count = 4): Promise<{ readonly home: string; readonly belay: Belay }> {
  homes += 1;
  const home = join(root, `home-${homes}`);
  const belay = await openBelay({ home });
  await belay.sessions.create({ agent_name: "scribe", session_id: "letters" });
  copyFileSync(join(home, "commits.ndjson"), join(home, "older"));
  for (let n = 0; n < count; n += 1) await write(belay);
  return { home, belay };
}

async function write(belay: Belay): Promise<string> {
  await belay.sessions.update({ id: "letters", metadata: { n: Math.random() } });
  return "written";
}

async function verify(belay: Belay): Promise<string> {
  const { ok, findings } = await belay.maintenance.verify();
  return ok ? "sound" : findings.map(({ kind, what }) => `${kind}: ${what}`).join("\n");
}

/** A store that cannot be opened because of damage cannot be verified as sound either. */
async function outcomeOf(home: string, use: (belay: Belay) => Promise<string>): Promise<string> {
  let belay: Belay | undefined;
  try {
    belay = await openBelay({ home });
    return await use(belay);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    await belay?.close();
  }
}

function folderOf(home: string): string {
  const streams = join(home, "streams", "session");
  const [name = ""] = readdirSync(streams);
  return join(streams, name);
}

function pathOf(home: string, name: string): string {
  const path = join(home, name);
  return existsSync(path) ? path : join(folderOf(home), name);
}
