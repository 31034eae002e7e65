import { appendFileSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaudeLines } from "./claude-lines.ts";
import { CALLER, ImportPlace, lines } from "./import-place.ts";

const ID = "11111111-aaaa-4bbb-8ccc-000000000001";
const FILE = `-home-ann-shop/${ID}.jsonl`;

let place: ImportPlace;
beforeEach(() => {
  place = new ImportPlace();
});
afterEach(() => place.remove());

/** Two turns; the first has a call that worked and one that failed. */
function shop(): ClaudeLines {
  const claude = new ClaudeLines(ID);
  claude.user("Why is the cart empty?");
  claude.assistant([{ type: "thinking", thinking: "Look at the code." }], { id: "msg_a" });
  claude.calls("toolu_1", "Read", { file_path: "/home/ann/shop/cart.ts" }, "msg_a");
  claude.returns("toolu_1", [{ type: "text", text: "export const cart = []" }]);
  claude.calls("toolu_2", "Bash", { command: "npm test" });
  claude.returns("toolu_2", "1 failed", { is_error: true });
  claude.says("The cart is never filled.");
  claude.user([{ type: "text", text: "Fix it." }]);
  claude.says("Done.");
  return claude;
}

it("imports turns, calls with results, times, costs and titles, and does not change the file", async () => {
  const file = place.write(
    FILE,
    lines([...shop().records, { type: "ai-title", aiTitle: "Empty cart", sessionId: ID }]),
  );
  const before = [readFileSync(file, "utf8"), statSync(file).mtimeMs];
  const report = await place.import("claude-code");
  expect(report).toMatchObject({
    files: 1,
    conversations: 1,
    new_sessions: 1,
    turns: 2,
    damaged: 0,
  });
  expect(await place.told(ID)).toEqual([
    "Why is the cart empty? | The cart is never filled.",
    "Fix it. | Done.",
  ]);
  expect(await place.calls(ID)).toEqual([
    ["Read: /home/ann/shop/cart.ts", "completed", "export const cart = []"],
    ["Bash: npm test", "failed", "1 failed"],
  ]);
  const session = await place.service.call("get", { id: ID }, CALLER);
  expect(session).toMatchObject({
    session_id: ID,
    agent_name: "claude",
    title: "Empty cart",
    status: "completed",
    created_at: "2026-01-05T10:01:00.000Z",
    updated_at: "2026-01-05T10:09:00.000Z",
    project: { cwd: "/home/ann/shop", branch: "main" },
    supports_resume: true,
    turn_count: 2,
    // Four answers; two lines of one answer count once.
    usage: { input_tokens: 440, output_tokens: 20 },
  });
  expect([readFileSync(file, "utf8"), statSync(file).mtimeMs]).toEqual(before);
});

it("a second import adds nothing, and a later one only new turns", async () => {
  const claude = shop();
  const file = place.write(FILE, lines(claude.records));
  await place.import("claude-code");
  const known = await place.log(ID);
  expect(await place.import("claude-code")).toMatchObject({
    new_sessions: 0,
    known_sessions: 1,
    turns: 0,
  });
  expect(await place.log(ID)).toEqual(known);
  const written = claude.records.length;
  claude.user("And the tests?");
  claude.says("They pass.");
  appendFileSync(file, lines(claude.records.slice(written)));
  expect(await place.import("claude-code")).toMatchObject({ grown_sessions: 1, turns: 1 });
  expect((await place.told(ID)).at(-1)).toBe("And the tests? | They pass.");
  expect((await place.log(ID)).slice(0, known.length)).toEqual(known);
  expect(await place.import("claude-code")).toMatchObject({ turns: 0 });
});

it("two imports at once write each turn once", async () => {
  place.write(FILE, lines(shop().records));
  await Promise.all([place.import("claude-code"), place.import("claude-code")]);
  expect(await place.told(ID)).toHaveLength(2);
});

it("a dry run reports the same and writes nothing", async () => {
  place.write(FILE, lines(shop().records));
  const dry = await place.import("claude-code", { dry_run: true });
  expect(dry).toMatchObject({ dry_run: true, new_sessions: 1, turns: 2 });
  expect((await place.service.call("list", {}, CALLER)).sessions).toEqual([]);
  expect(await place.import("claude-code")).toMatchObject({ new_sessions: 1, turns: 2 });
});

it("leaves out files without changes since a time", async () => {
  place.write(FILE, lines(shop().records));
  const since = Date.parse("2026-01-06T00:00:00Z");
  expect(await place.import("claude-code", { since })).toMatchObject({ conversations: 0 });
});

describe("a turn under way", () => {
  it("is imported when it has ended, or after a long time without changes", async () => {
    const claude = shop();
    claude.user("Deploy it.");
    claude.calls("toolu_9", "Bash", { command: "make deploy" });
    place.write(FILE, lines(claude.records));
    place.now = Date.UTC(2026, 0, 5, 10, 13);
    expect(await place.import("claude-code")).toMatchObject({ turns: 2 });
    expect(await place.service.call("get", { id: ID }, CALLER)).toMatchObject({ status: "active" });
    place.now = Date.UTC(2026, 0, 5, 11, 13);
    expect(await place.import("claude-code")).toMatchObject({ turns: 1 });
    expect((await place.told(ID)).at(-1)).toBe("Deploy it. |  | interrupted");
    expect((await place.calls(ID)).at(-1)).toEqual(["Bash: make deploy", "interrupted", null]);
    // A late result comes after it.
    claude.returns("toolu_9", "deployed");
    claude.says("It is live.");
    place.write(FILE, lines(claude.records));
    await place.import("claude-code");
    expect((await place.told(ID)).at(-1)).toBe(" | It is live.");
    expect(await place.import("claude-code")).toMatchObject({ turns: 0 });
  });
});

it("records without ids are imported in order", async () => {
  const claude = shop();
  const bare = claude.records.map(({ uuid: _, parentUuid: __, ...record }) => record);
  place.write(FILE, lines(bare));
  expect(await place.import("claude-code")).toMatchObject({ new_sessions: 1, turns: 2 });
  expect(await place.told(ID)).toEqual([
    "Why is the cart empty? | The cart is never filled.",
    "Fix it. | Done.",
  ]);
  expect(await place.import("claude-code")).toMatchObject({ turns: 0, new_sessions: 0 });
});

describe("branches", () => {
  it("a rewound conversation becomes a fork at the turn where it was left", async () => {
    const claude = shop();
    const [, , , , , , answer] = claude.records;
    claude.user("Rewrite it instead.", { parentUuid: answer?.uuid });
    claude.says("Rewritten.");
    place.write(FILE, lines(claude.records));
    const report = await place.import("claude-code");
    expect(report).toMatchObject({ new_sessions: 2, turns: 3 });
    const fork = report.sessions.find(({ session_id }) => session_id !== ID)?.session_id ?? "";
    expect(await place.told(ID)).toEqual([
      "Why is the cart empty? | The cart is never filled.",
      "Rewrite it instead. | Rewritten.",
    ]);
    expect(await place.told(fork)).toEqual([
      "Why is the cart empty? | The cart is never filled.",
      "Fix it. | Done.",
    ]);
    expect(await place.service.call("get", { id: fork }, CALLER)).toMatchObject({
      parent_session_id: ID,
    });
    expect(await place.import("claude-code")).toMatchObject({ turns: 0, new_sessions: 0 });
  });

  it("a copy of a conversation that continued is a fork of it, and nothing is stored twice", async () => {
    const claude = shop();
    place.write(FILE, lines(claude.records));
    const copy = "22222222-aaaa-4bbb-8ccc-0000000000f0";
    const copied = claude.records.map((record) => ({ ...record, sessionId: copy }));
    // A copy that was not continued adds nothing.
    const file = place.write(`p/${copy}.jsonl`, lines(copied));
    expect(await place.import("claude-code")).toMatchObject({ new_sessions: 1 });
    claude.records.length = 0;
    claude.user("And in the copy?", { sessionId: copy });
    claude.says("Here too.", { sessionId: copy });
    appendFileSync(file, lines(claude.records));
    expect(await place.import("claude-code")).toMatchObject({ new_sessions: 1, turns: 1 });
    expect(await place.told(copy)).toEqual([
      "Why is the cart empty? | The cart is never filled.",
      "Fix it. | Done.",
      "And in the copy? | Here too.",
    ]);
    expect(await place.service.call("get", { id: copy }, CALLER)).toMatchObject({
      parent_session_id: ID,
      status: "completed",
    });
    expect(await place.import("claude-code")).toMatchObject({ turns: 0, new_sessions: 0 });
  });

  it("a rewind after an import keeps stored turns and adds a fork", async () => {
    const claude = shop();
    place.write(FILE, lines(claude.records));
    await place.import("claude-code");
    claude.user("Rewrite it instead.", { parentUuid: claude.records[6]?.uuid });
    claude.says("Rewritten.");
    place.write(FILE, lines(claude.records));
    const report = await place.import("claude-code");
    const fork = report.sessions.find(({ state }) => state === "new")?.session_id ?? "";
    expect((await place.told(ID)).at(-1)).toBe("Fix it. | Done.");
    expect((await place.told(fork)).at(-1)).toBe("Rewrite it instead. | Rewritten.");
    expect(await place.import("claude-code")).toMatchObject({ turns: 0, new_sessions: 0 });
  });

  it("an answer without a named predecessor follows the record before it", async () => {
    const claude = new ClaudeLines(ID);
    claude.user("Hello?");
    claude.says("Hello.", { parentUuid: null });
    claude.assistant([], {}, { parentUuid: null });
    place.write(FILE, lines(claude.records));
    expect(await place.import("claude-code")).toMatchObject({ new_sessions: 1 });
    expect(await place.told(ID)).toEqual(["Hello? | Hello."]);
  });

  it("results of parallel calls are not branches", async () => {
    const claude = new ClaudeLines(ID);
    claude.user("Look at both.");
    const first = claude.calls("toolu_1", "Read", { file_path: "a" }, "msg_a");
    const second = claude.calls("toolu_2", "Read", { file_path: "b" }, "msg_a");
    claude.returns("toolu_2", "B", { parentUuid: second });
    claude.returns("toolu_1", "A", { parentUuid: first });
    claude.says("Both seen.");
    place.write(FILE, lines(claude.records));
    expect(await place.import("claude-code")).toMatchObject({ new_sessions: 1 });
    expect(await place.told(ID)).toEqual(["Look at both. | Both seen."]);
    expect(await place.calls(ID)).toEqual([
      ["Read: a", "completed", "A"],
      ["Read: b", "completed", "B"],
    ]);
  });

  it("parallel calls beyond the limit of open actions are all imported", async () => {
    const claude = new ClaudeLines(ID);
    claude.user("Look at all.");
    const ids = Array.from({ length: 40 }, (_, n) => `toolu_${n}`);
    for (const id of ids) claude.calls(id, "Read", { file_path: id }, "msg_a");
    for (const id of ids.toReversed()) claude.returns(id, `content of ${id}`);
    claude.says("Seen.");
    place.write(FILE, lines(claude.records));
    await place.import("claude-code");
    expect((await place.calls(ID)).toSorted()).toEqual(
      ids.map((id) => [`Read: ${id}`, "completed", `content of ${id}`]).toSorted(),
    );
  });
});

it("keeps both sides of a compaction and marks it", async () => {
  const claude = shop();
  const last = claude.last;
  claude.add({
    type: "system",
    subtype: "compact_boundary",
    parentUuid: null,
    logicalParentUuid: last,
    compactMetadata: { trigger: "auto", preTokens: 9 },
  });
  claude.user("This session is continued: the cart was fixed.", { isCompactSummary: true });
  claude.user("What next?");
  claude.says("Nothing.");
  place.write(FILE, lines(claude.records));
  await place.import("claude-code");
  expect(await place.told(ID)).toHaveLength(3);
  const saved = (await place.log(ID)).filter(({ type }) => type === "checkpoint.saved");
  expect(saved.map(({ data }) => Object(data).state)).toEqual([
    { summary: "This session is continued: the cart was fixed." },
  ]);
});

it("sub-agents become sessions that name the call that started them", async () => {
  const main = shop();
  place.write(FILE, lines(main.records));
  const agent = new ClaudeLines(ID);
  const side = { isSidechain: true, agentId: "a0123456789abcdef" };
  agent.user("Find the cart.", side);
  agent.says("It is in cart.ts.", side);
  const folder = `-home-ann-shop/${ID}/subagents`;
  place.write(`${folder}/agent-a0123456789abcdef.jsonl`, lines(agent.records));
  place.write(
    `${folder}/agent-a0123456789abcdef.meta.json`,
    JSON.stringify({ agentType: "Explore", toolUseId: "toolu_1" }),
  );
  expect(await place.import("claude-code")).toMatchObject({ new_sessions: 2 });
  expect(await place.told("a0123456789abcdef")).toEqual(["Find the cart. | It is in cart.ts."]);
  expect(await place.service.call("get", { id: "a0123456789abcdef" }, CALLER)).toMatchObject({
    agent_name: "Explore",
    supports_resume: false,
    metadata: { parent_session_id: ID, parent_action_id: "toolu_1", claude_session_id: ID },
  });
});

it("a session that hooks recorded, or that was continued here, is not changed", async () => {
  await place.service.call("create", { agent_name: "claude-code", session_id: ID }, CALLER);
  place.write(FILE, lines(shop().records));
  expect(await place.import("claude-code")).toMatchObject({ known_sessions: 1, turns: 0 });
  const other = new ClaudeLines("22222222-aaaa-4bbb-8ccc-000000000001");
  other.user("Hello");
  other.says("Hi.");
  const file = place.write(`-home-ann-shop/${other.session}.jsonl`, lines(other.records));
  await place.import("claude-code");
  await place.service.call(
    "record_turn",
    { id: other.session, input: "here", output: "now" },
    CALLER,
  );
  other.user("there");
  other.says("as well");
  appendFileSync(file, lines(other.records.slice(2)));
  const { sessions } = await place.import("claude-code");
  expect(sessions.find(({ session_id }) => session_id === other.session)).toMatchObject({
    state: "kept",
    why: "it was continued in Belay",
  });
});

it("follows no links, and reports a missing folder", async () => {
  const outside = new ImportPlace();
  const secret = outside.write(`${ID}.jsonl`, lines(shop().records));
  symlinkSync(secret, join(place.folder, "link.jsonl"));
  symlinkSync(outside.folder, join(place.folder, "linked"));
  expect(await place.import("claude-code")).toMatchObject({ files: 0, conversations: 0 });
  outside.remove();
  await expect(
    place.import("claude-code", { path: join(place.folder, "none") }),
  ).rejects.toMatchObject({
    code: "invalid_input",
  });
});
