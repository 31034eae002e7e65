import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { importConversations } from "../../../src/import/import-conversations.ts";
import { IMPORTERS } from "../../../src/integrations/importers.ts";
import { CALLER, ImportPlace, lines } from "./import-place.ts";

const ID = "88888888-aaaa-4bbb-8ccc-000000000002";
const STORE = `chats/0123456789abcdef0123456789abcdef/${ID}/store.db`;

let place: ImportPlace;
let database: DatabaseSync;
let path: string;
beforeEach(() => {
  place = new ImportPlace();
  path = join(place.folder, STORE);
  mkdirSync(dirname(path), { recursive: true });
  database = new DatabaseSync(path);
  database.exec(`CREATE TABLE blobs(id TEXT PRIMARY KEY, data BLOB);
    CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)`);
});
afterEach(() => {
  if (database.isOpen) database.close();
  place.remove();
});

/** Stores a content by its digest, as Cursor does: the same one once. */
function put(data: Buffer): string {
  const id = createHash("sha256").update(data).digest("hex");
  database.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)").run(id, data);
  return id;
}

function message(role: string, content: unknown, more: Record<string, unknown> = {}): string {
  return put(Buffer.from(JSON.stringify({ role, content, ...more })));
}

const query = (text: string) =>
  message("user", [{ type: "text", text: `<user_query>\n${text}\n</user_query>` }]);
const answer = (text: string) => message("assistant", [{ type: "text", text }]);

/** The state that names the current messages. */
function state(messages: readonly string[], more: Record<string, unknown> = {}): void {
  const named = messages.map((id) => Buffer.concat([Buffer.of(0x0a, 32), Buffer.from(id, "hex")]));
  const root = put(Buffer.concat([...named, Buffer.of(0x12, 2, 1, 2)]));
  const about = {
    agentId: ID,
    latestRootBlobId: root,
    name: "Reading",
    createdAt: 1_767_600_000_000,
  };
  const value = Buffer.from(JSON.stringify({ ...about, ...more })).toString("hex");
  database.prepare("INSERT OR REPLACE INTO meta VALUES ('0', ?)").run(value);
}

const everyFile = () =>
  readdirSync(dirname(path)).map((name) => {
    const bytes = readFileSync(join(dirname(path), name));
    return [name, createHash("sha256").update(bytes).digest("hex")];
  });

it("reads messages, calls, times and the folder, and leaves out Cursor's own texts", async () => {
  message("system", "You are an agent.");
  message("user", "<user_info>\nWorkspace Path: /home/ann/shop\n</user_info>");
  state([
    query("Read a."),
    message(
      "assistant",
      [
        { type: "reasoning", text: "hm" },
        { type: "tool-call", toolCallId: "t1", toolName: "Read", args: { path: "a" } },
      ],
      { createdAt: 1_767_600_001_000, providerOptions: { cursor: { modelName: "composer-2.5" } } },
    ),
    message("tool", [{ type: "tool-result", toolCallId: "t1", toolName: "Read", result: "A" }]),
    answer("It says A."),
  ]);
  database.close();
  const before = everyFile();
  expect(await place.import("cursor")).toMatchObject({ turns: 1, new_sessions: 1, damaged: 0 });
  expect(await place.import("cursor")).toMatchObject({ turns: 0, new_sessions: 0 });
  expect(everyFile()).toEqual(before);
  expect(await place.told(ID)).toEqual(["Read a. | It says A."]);
  expect(await place.calls(ID)).toEqual([["Read: a", "completed", "A"]]);
  expect(await place.service.call("get", { id: ID }, CALLER)).toMatchObject({
    ...{ title: "Reading", project: { cwd: "/home/ann/shop" } },
    ...{ created_at: "2026-01-05T08:00:00.000Z", agent_name: "cursor" },
  });
});

it("keeps repeated, summarized and reverted messages", async () => {
  query("Summed up.");
  answer("Yes.");
  const [first, on, done] = [query("Read a."), query("Go on."), answer("Done.")];
  query("Wrong.");
  answer("Sorry.");
  answer("An answer that was written again.");
  state([first, on, done, on, answer("Done too.")]);
  const { sessions } = await place.import("cursor");
  const turns = ["Summed up. | Yes.", "Read a. | ", "Go on. | Done.", "Go on. | Done too."];
  expect(await place.told(ID)).toEqual(turns);
  const branch = sessions.find(({ session_id }) => session_id !== ID)?.session_id ?? "";
  expect(await place.told(branch)).toEqual([
    ...turns.slice(0, 3),
    "Wrong. | Sorry.An answer that was written again.",
  ]);
});

it("reads in the order of writing if no state names another", async () => {
  query("One.");
  answer("1");
  state([]);
  expect(await place.import("cursor")).toMatchObject({ turns: 1 });
  expect(await place.told(ID)).toEqual(["One. | 1"]);
});

it("reads changes that are only in the write-ahead log, creates no files, and reads later changes", async () => {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  const messages = [query("One."), answer("1")];
  state(messages);
  const before = everyFile();
  const seen = new Map<string, string>();
  const options = { path: place.folder, dry_run: false, since: null, seen };
  const again = () => importConversations(place.context, CALLER, IMPORTERS.cursor, options);
  expect(await again()).toMatchObject({ turns: 1, damaged: 0 });
  expect(everyFile()).toEqual(before);
  expect(await again()).toMatchObject({ files: 0 });
  state([...messages, query("Two."), answer("2")]);
  utimesSync(`${path}-wal`, new Date(), new Date(Date.now() + 5000));
  expect(await again()).toMatchObject({ turns: 1 });
  expect(await place.told(ID)).toEqual(["One. | 1", "Two. | 2"]);
});

it("names damaged messages by their row, and keeps the whole ones", async () => {
  const messages = [query("One."), answer("1"), query("Two."), answer("2")];
  state(messages);
  const set = database.prepare("UPDATE blobs SET data = ? WHERE id = ?");
  set.run(Buffer.from('{"role":"assistant","content":"2'), messages[3] ?? "");
  set.run(Buffer.from('{"role":"assistant","content":"changed"}'), messages[1] ?? "");
  database.close();
  const { damage } = await place.import("cursor");
  expect(damage).toEqual([
    { file: path, line: 2, why: `message ${messages[1]} does not match its checksum` },
    { file: path, line: 4, why: `message ${messages[3]} is not a complete record` },
  ]);
  expect(await place.told(ID)).toEqual(["One. | changed", "Two. | "]);
});

it("keeps messages before and after a damaged page", async () => {
  const texts = Array.from({ length: 40 }, (_, n) => `text${n} ${"x".repeat(1000)}`);
  const messages = texts.map((text, n) => (n % 2 === 0 ? query(text) : answer(text)));
  state(messages);
  database.close();
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf("text20 ") / 4096);
  bytes.fill(0x55, page * 4096, (page + 1) * 4096);
  writeFileSync(path, bytes);
  const { damage } = await place.import("cursor");
  expect(damage).toMatchObject([{ file: path, why: expect.stringContaining("malformed") }]);
  expect(damage[0]?.line).toBeGreaterThan(1);
  const told = (await place.told(ID)).join();
  const lost = texts.filter((text) => !told.includes(text.slice(0, 8)));
  expect(lost.length).toBeLessThanOrEqual(4);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

it("reads the store of a conversation instead of its transcript, and follows no link", async () => {
  state([query("One."), answer("1")]);
  database.close();
  const said = { role: "user", message: { content: "One." } };
  place.write(`projects/shop/agent-transcripts/${ID}/${ID}.jsonl`, lines([said]));
  const other = join(place.folder, "chats/0/link");
  mkdirSync(other, { recursive: true });
  symlinkSync(path, join(other, "store.db"));
  expect(await place.import("cursor")).toMatchObject({ conversations: 1, known_sessions: 0 });
});

it("explains why a file is not such a database", async () => {
  database.close();
  writeFileSync(path, "no database");
  const { damage } = await place.import("cursor");
  expect(damage).toMatchObject([{ file: path, line: null, why: "file is not a database" }]);
});
