import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { CALLER, ImportPlace, lines } from "./import-place.ts";
import {
  CODEX_FILE,
  CODEX_ID,
  codex,
  codexMeta,
  copilot,
  GEMINI_HEAD,
  gemini,
  qwen,
} from "./samples.ts";

let place: ImportPlace;
beforeEach(() => {
  place = new ImportPlace();
});
afterEach(() => place.remove());

/** Imports twice, to see that the second adds nothing. */
async function bringIn(tool: ImportTool) {
  const report = await place.import(tool);
  expect(await place.import(tool)).toMatchObject({ turns: 0, new_sessions: 0 });
  return report;
}

describe("codex", () => {
  const records = () => [
    codexMeta(),
    codex("response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "<environment_context>x" }],
    }),
    codex("response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "List it." }],
    }),
    codex("event_msg", { type: "user_message", message: "List it." }),
    codex("response_item", {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Use ls." }],
    }),
    codex("response_item", {
      type: "function_call",
      name: "shell",
      call_id: "call_1",
      arguments: '{"command":["ls"]}',
    }),
    codex("response_item", { type: "function_call_output", call_id: "call_1", output: "a.ts" }),
    codex("response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "One file." }],
    }),
    codex("event_msg", { type: "agent_message", message: "One file." }),
    codex("event_msg", {
      type: "token_count",
      info: { last_token_usage: { input_tokens: 7, output_tokens: 3 } },
    }),
    codex("event_msg", { type: "task_complete" }),
  ];

  it("imports each prompt and answer once, with calls and usage", async () => {
    place.write(`sessions/${CODEX_FILE}`, lines(records()));
    await bringIn("codex");
    expect(await place.told(CODEX_ID)).toEqual(["List it. | One file."]);
    expect(await place.calls(CODEX_ID)).toEqual([["shell: ls", "completed", "a.ts"]]);
    expect(await place.service.call("get", { id: CODEX_ID }, CALLER)).toMatchObject({
      agent_name: "codex",
      supports_resume: true,
      project: { cwd: "/home/ann/shop" },
      usage: { input_tokens: 7, output_tokens: 3 },
    });
  });

  it("reads compressed rollouts", async () => {
    place.write(`archived_sessions/${CODEX_FILE}.zst`, zstdCompressSync(lines(records())));
    expect(await bringIn("codex")).toMatchObject({ new_sessions: 1, turns: 1 });
  });

  it("reads messages of early versions, which have no type", async () => {
    const message = (role: string, text: string) =>
      codex("response_item", { role, content: [{ type: `${role}_text`, text }] });
    const early = [codexMeta(), message("user", "Limit it."), message("assistant", "Limited.")];
    place.write(`sessions/${CODEX_FILE}`, lines(early));
    await bringIn("codex");
    expect(await place.told(CODEX_ID)).toEqual(["Limit it. | Limited."]);
  });

  it("a forked thread continues from its original", async () => {
    const copy = "99999999-aaaa-7bbb-8ccc-0000000000f0";
    const file = `rollout-2026-01-06T10-00-00-${copy}.jsonl`;
    place.write(`sessions/${CODEX_FILE}`, lines(records()));
    const meta = codexMeta({ id: copy, forked_from_id: CODEX_ID });
    const more = [
      codex("event_msg", { type: "user_message", message: "And below?" }),
      codex("response_item", {
        ...{ type: "message", role: "assistant" },
        content: [{ type: "output_text", text: "Nothing." }],
      }),
      codex("event_msg", { type: "task_complete" }),
    ];
    place.write(`sessions/${file}`, lines([meta, ...records(), ...more]));
    expect(await bringIn("codex")).toMatchObject({ new_sessions: 2, turns: 2 });
    expect(await place.told(copy)).toEqual(["List it. | One file.", "And below? | Nothing."]);
    expect(await place.service.call("get", { id: copy }, CALLER)).toMatchObject({
      parent_session_id: CODEX_ID,
    });
  });

  it("keeps the readable part of a truncated compressed rollout", async () => {
    const long = codex("response_item", {
      ...{ type: "message", role: "assistant" },
      // It must be incompressible, or one block would contain all of it.
      content: [{ type: "output_text", text: randomBytes(400_000).toString("hex") }],
    });
    const packed = zstdCompressSync(lines([...records(), long]));
    const path = `archived_sessions/${CODEX_FILE}.zst`;
    const file = place.write(path, packed.subarray(0, packed.length - 1000));
    const { damage } = await bringIn("codex");
    expect(damage).toMatchObject([
      { file, line: null, why: expect.stringMatching(/^cannot be unpacked to its end/) },
    ]);
    expect(await place.told(CODEX_ID)).toEqual(["List it. | One file."]);
  });

  it("keeps turns that were rolled back, as a branch", async () => {
    const more = [
      codex("event_msg", { type: "user_message", message: "Delete it." }),
      codex("event_msg", { type: "agent_message", message: "Deleted." }),
      codex("event_msg", { type: "thread_rolled_back", num_turns: 1 }),
      codex("event_msg", { type: "user_message", message: "Keep it." }),
      codex("response_item", {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Kept." }],
      }),
    ];
    place.write(`sessions/${CODEX_FILE}`, lines([...records(), ...more]));
    expect(await bringIn("codex")).toMatchObject({ new_sessions: 2 });
    expect(await place.told(CODEX_ID)).toEqual(["List it. | One file.", "Keep it. | Kept."]);
  });
});

describe("gemini", () => {
  const { sessionId } = GEMINI_HEAD;
  const call = {
    id: "c1",
    name: "read_file",
    args: { path: "a" },
    status: "success",
    result: [{ functionResponse: { response: { output: "A" } } }],
  };

  it("uses the last version of a message, and follows a rewind", async () => {
    place.write(
      "x/chats/session-1.jsonl",
      lines([
        GEMINI_HEAD,
        gemini("u1", "user", "Read a."),
        gemini("g1", "gemini", "Rea"),
        gemini("g1", "gemini", "Read.", { toolCalls: [call], tokens: { input: 4, output: 2 } }),
        gemini("u2", "user", "Wrong."),
        gemini("g2", "gemini", "Sorry."),
        { $rewindTo: "u2" },
        gemini("u3", "user", "Right."),
        gemini("g3", "gemini", "Thanks."),
        { $set: { summary: "Reading a", lastUpdated: "2026-01-05T11:00:00.000Z" } },
      ]),
    );
    expect(await bringIn("gemini")).toMatchObject({ new_sessions: 2 });
    expect(await place.told(sessionId)).toEqual(["Read a. | Read.", "Right. | Thanks."]);
    expect(await place.calls(sessionId)).toEqual([["read_file: a", "completed", "A"]]);
    expect(await place.service.call("get", { id: sessionId }, CALLER)).toMatchObject({
      title: "Reading a",
      project: { cwd: "/home/ann/shop" },
    });
  });

  it("imports the messages of a checkpoint, and reverted messages as a branch", async () => {
    const file = "x/chats/session-1.jsonl";
    const asked = [
      GEMINI_HEAD,
      gemini("u1", "user", "Read a."),
      gemini("g1", "gemini", "Read."),
      gemini("u2", "user", "Stop."),
      gemini("u3", "user", "Go on."),
      gemini("g3", "gemini", "Gone on."),
    ];
    const kept = [
      gemini("u1", "user", "Read a, please."),
      gemini("g1", "gemini", "Read."),
      gemini("u3", "user", "Go on."),
      gemini("g3", "gemini", "Gone on."),
    ];
    const restated = [...asked, { $set: { messages: kept } }, gemini("u4", "user", "And b.")];
    place.write(file, lines(restated));
    expect(await bringIn("gemini")).toMatchObject({ new_sessions: 2 });
    const turns = ["Read a, please. | Read.", "Go on. | Gone on.", "And b. | "];
    expect(await place.told(sessionId)).toEqual(turns);
    // An import from before the checkpoint keeps the withdrawn part where it was.
    const before = new ImportPlace();
    before.write(file, lines(asked));
    await before.import("gemini");
    before.write(file, lines(restated));
    expect(await before.import("gemini")).toMatchObject({ new_sessions: 0, turns: 1 });
    expect(await before.told(sessionId)).toEqual([
      ...["Read a. | Read.", "Stop. | ", "Go on. | Gone on.", "And b. | "],
    ]);
    before.remove();
  });

  it("keeps messages that a compression summarized", async () => {
    const chat = [
      GEMINI_HEAD,
      gemini("u0", "user", "Hello"),
      gemini("g0", "gemini", "Hi."),
      gemini("u1", "user", "Read a."),
      gemini("g1", "gemini", "Read."),
      {
        $set: {
          messages: [
            gemini("u0", "user", "Hello"),
            gemini("s1", "user", "Summary: a was read."),
            gemini("s2", "gemini", "Understood."),
          ],
        },
      },
      gemini("u2", "user", "And b."),
      gemini("g2", "gemini", "Read too."),
    ];
    place.write("x/chats/session-1.jsonl", lines(chat));
    expect(await bringIn("gemini")).toMatchObject({ new_sessions: 1 });
    expect(await place.told(sessionId)).toEqual([
      ...["Hello | Hi.", "Read a. | Read.", "Summary: a was read. | Understood."],
      "And b. | Read too.",
    ]);
  });

  it("finds the folder of a project whose chats do not name it", async () => {
    const { directories: _, ...head } = GEMINI_HEAD;
    place.write("shop/.project_root", "/home/ann/shop");
    const chat = [head, gemini("u1", "user", "Hello"), gemini("g1", "gemini", "Hi.")];
    place.write("shop/chats/session-0.jsonl", lines(chat));
    await bringIn("gemini");
    expect(await place.service.call("get", { id: sessionId }, CALLER)).toMatchObject({
      project: { cwd: "/home/ann/shop" },
    });
  });

  it("reads the documents of older versions", async () => {
    const messages = [gemini("u1", "user", "Hello"), gemini("g1", "gemini", "Hi.")];
    place.write("x/chats/session-0.json", JSON.stringify({ ...GEMINI_HEAD, messages }));
    await bringIn("gemini");
    expect(await place.told(sessionId)).toEqual(["Hello | Hi."]);
  });
});

it("qwen: calls, results and branches", async () => {
  const id = "66666666-aaaa-4bbb-8ccc-000000000001";
  const call = { id: "c1", name: "read_file" };
  place.write(
    `-p/chats/${id}.jsonl`,
    lines([
      qwen(0, "user", [{ text: "Read a." }]),
      qwen(1, "assistant", [
        { text: "hm", thought: true },
        { functionCall: { ...call, args: { path: "a" } } },
      ]),
      qwen(2, "tool_result", [{ functionResponse: { ...call, response: { error: "missing" } } }]),
      qwen(3, "assistant", [{ text: "No a." }], {
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
      }),
      qwen(4, "user", [{ text: "Then b." }]),
      qwen(5, "assistant", [{ text: "B." }]),
      {
        ...qwen(6, "user", [{ text: "Then c." }]),
        parentUuid: "66666666-0000-4000-8000-000000000003",
      },
      qwen(7, "assistant", [{ text: "C." }]),
    ]),
  );
  expect(await bringIn("qwen")).toMatchObject({ new_sessions: 2 });
  expect(await place.told(id)).toEqual(["Read a. | No a.", "Then c. | C."]);
  expect(await place.calls(id)).toEqual([["read_file: a", "failed", "missing"]]);
});

it("copilot: calls with results, an abort, and sub-agents as sessions of their own", async () => {
  const id = "77777777-aaaa-4bbb-8ccc-000000000001";
  const side = { agentId: "explore-1" };
  place.write(
    `${id}/events.jsonl`,
    lines([
      copilot("session.start", {
        sessionId: id,
        context: { cwd: "/home/ann/shop", branch: "main" },
      }),
      copilot("user.message", { content: "Build." }),
      copilot("assistant.message", {
        content: "",
        toolRequests: [{ toolCallId: "t1", name: "bash", arguments: { command: "make" } }],
      }),
      copilot("tool.execution_start", {
        toolCallId: "t1",
        toolName: "bash",
        arguments: { command: "make" },
      }),
      copilot("user.message", { content: "Look." }, side),
      copilot("assistant.message", { content: "Seen.", toolRequests: [] }, side),
      copilot("tool.execution_complete", {
        toolCallId: "t1",
        success: false,
        error: { message: "exit 2" },
      }),
      copilot("assistant.message", { content: "It failed.", toolRequests: [] }),
      copilot("user.message", { content: "Again." }),
      copilot("abort", { reason: "user" }),
    ]),
  );
  expect(await bringIn("copilot")).toMatchObject({ new_sessions: 2, damaged: 0 });
  expect(await place.told(id)).toEqual(["Build. | It failed.", "Again. |  | interrupted"]);
  expect(await place.calls(id)).toEqual([["bash: make", "failed", "exit 2"]]);
  expect(await place.told(`${id}.explore-1`)).toEqual(["Look. | Seen."]);
});

it("cursor: transcripts of its agents", async () => {
  const id = "88888888-aaaa-4bbb-8ccc-000000000001";
  place.write(
    `shop/agent-transcripts/${id}/${id}.jsonl`,
    lines([
      {
        role: "user",
        message: { content: [{ type: "text", text: "<user_query>\nRead a.\n</user_query>" }] },
      },
      {
        role: "assistant",
        message: {
          content: [{ type: "tool-call", toolCallId: "t1", toolName: "Read", args: { path: "a" } }],
        },
      },
      {
        role: "tool",
        message: { content: [{ type: "tool-result", toolCallId: "t1", result: "A" }] },
      },
      { role: "assistant", message: { content: "It says A." } },
    ]),
  );
  await bringIn("cursor");
  expect(await place.told(id)).toEqual(["Read a. | It says A."]);
  expect(await place.calls(id)).toEqual([["Read: a", "completed", "A"]]);
});

describe("chatgpt", () => {
  const message = (id: string, role: string, text: string, at: number, more = {}) => ({
    ...{ id, author: { role }, create_time: at, recipient: "all", ...more },
    content: { content_type: "text", parts: [text] },
  });
  const chat = (id: string) => ({
    ...{
      conversation_id: id,
      title: "Names",
      create_time: 1_767_600_000.5,
      update_time: 1_767_600_100,
    },
    current_node: "a2",
    mapping: {
      root: { id: "root", parent: null, children: ["u1"], message: null },
      u1: {
        id: "u1",
        parent: "root",
        children: ["a1", "a2"],
        message: message("u1", "user", "A name?", 1_767_600_001),
      },
      a1: {
        id: "a1",
        parent: "u1",
        children: [],
        message: message("a1", "assistant", "Ada.", 1_767_600_002, { end_turn: true }),
      },
      a2: {
        id: "a2",
        parent: "u1",
        children: [],
        message: message("a2", "assistant", "Bea.", 1_767_600_003, { end_turn: true }),
      },
    },
  });

  it("imports the current answer, and the other one as a branch", async () => {
    const id = "aaaaaaaa-aaaa-4bbb-8ccc-000000000001";
    place.write("conversations.json", JSON.stringify([chat(id)]));
    const { sessions } = await bringIn("chatgpt");
    expect(await place.told(id)).toEqual(["A name? | Bea."]);
    const branch = sessions.find(({ session_id }) => session_id !== id)?.session_id ?? "";
    expect(await place.told(branch)).toEqual(["A name? | Ada."]);
    expect(await place.service.call("get", { id }, CALLER)).toMatchObject({
      title: "Names",
      created_at: "2026-01-05T08:00:01.000Z",
    });
  });

  it("keeps every complete conversation of a damaged export, and the complete messages of others", async () => {
    const [first, torn, last] = ["1", "2", "3"].map((n) =>
      JSON.stringify(chat(`aaaaaaaa-aaaa-4bbb-8ccc-00000000000${n}`), null, 1),
    );
    const file = place.write(
      "conversations.json",
      `[${first},\n${torn?.replace('"Names"', '"Na" mes"')},\n${last},\n${first?.slice(0, 90)}`,
    );
    const report = await bringIn("chatgpt");
    expect(report).toMatchObject({ conversations: 3, damaged: 2 });
    expect(report.damage.every((each) => each.file === file && Number(each.line) > 1)).toBe(true);
  });
});

it("claude-ai: messages with thoughts, tools and attachments", async () => {
  const uuid = "bbbbbbbb-aaaa-4bbb-8ccc-000000000001";
  const at = (n: number) => `2026-01-05T10:0${n}:00.000Z`;
  place.write(
    "conversations.json",
    JSON.stringify([
      {
        ...{ uuid, name: "Poem", created_at: at(0), updated_at: at(3) },
        chat_messages: [
          {
            uuid: "m1",
            sender: "human",
            text: "A poem.",
            content: [{ type: "text", text: "A poem." }],
            created_at: at(1),
            attachments: [{ file_name: "a.txt", extracted_content: "roses" }],
          },
          {
            uuid: "m2",
            sender: "assistant",
            text: "Roses.",
            content: [
              { type: "thinking", thinking: "rhyme" },
              { type: "tool_use", id: "t1", name: "web_search", input: { query: "roses" } },
              { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "red" }] },
              { type: "text", text: "Roses." },
            ],
            created_at: at(2),
          },
        ],
      },
    ]),
  );
  await bringIn("claude-ai");
  expect(await place.told(uuid)).toEqual(["A poem. | Roses."]);
  expect(await place.calls(uuid)).toEqual([["web_search: roses", "completed", "red"]]);
});

it("atif: trajectories with their sub-agents, and no other files", async () => {
  const step = (step_id: number, source: string, message: string, more = {}) => ({
    step_id,
    source,
    message,
    timestamp: `2026-01-05T10:0${step_id}:00Z`,
    ...more,
  });
  const trajectory = (session_id: string) => ({
    ...{ schema_version: "ATIF-v1.7", session_id, agent: { name: "harbor", version: "1" } },
    steps: [
      step(1, "user", "Count."),
      step(2, "agent", "Counting.", {
        ...{
          reasoning_content: "ls",
          tool_calls: [{ tool_call_id: "c1", function_name: "bash", arguments: { command: "ls" } }],
        },
        ...{
          observation: { results: [{ source_call_id: "c1", content: "2" }] },
          metrics: { prompt_tokens: 5, completion_tokens: 1, cost_usd: 0.01 },
        },
      }),
      step(3, "agent", " Two."),
    ],
  });
  place.write(
    "a.json",
    JSON.stringify({
      ...trajectory("trial-0001"),
      subagent_trajectories: [trajectory("trial-0002")],
    }),
  );
  place.write("package.json", JSON.stringify({ name: "x" }));
  expect(await bringIn("atif")).toMatchObject({ new_sessions: 2, damaged: 1 });
  expect(await place.told("trial-0001")).toEqual(["Count. | Counting. Two."]);
  expect(await place.calls("trial-0001")).toEqual([["bash: ls", "completed", "2"]]);
  expect(await place.service.call("get", { id: "trial-0001" }, CALLER)).toMatchObject({
    usage: { cost_usd: 0.01 },
  });
});

it("a conversation without a start time has the time of its first message", async () => {
  const uuid = "bbbbbbbb-aaaa-4bbb-8ccc-000000000002";
  const message = {
    uuid: "m1",
    sender: "human",
    text: "Hello",
    created_at: "2026-01-05T10:00:00Z",
  };
  place.write("conversations.json", JSON.stringify([{ uuid, chat_messages: [message] }]));
  await bringIn("claude-ai");
  expect(await place.service.call("get", { id: uuid }, CALLER)).toMatchObject({
    created_at: "2026-01-05T10:00:00.000Z",
  });
});

it("two conversations with the same id stay separate", async () => {
  const trajectory = (asked: string) => {
    const steps = [
      { step_id: 1, source: "user", message: asked },
      { step_id: 2, source: "agent", message: `${asked} Done.` },
    ];
    const agent = { name: "harbor", version: "1" };
    return JSON.stringify({ schema_version: "ATIF-v1.7", session_id: "run-1", agent, steps });
  };
  place.write("a.json", trajectory("One."));
  place.write("b.json", trajectory("Two."));
  const { sessions } = await bringIn("atif");
  expect(sessions.map(({ state }) => state)).toEqual(["new", "new"]);
  expect(await place.told("run-1")).toEqual(["One. | One. Done."]);
  expect(await place.told(sessions[1]?.session_id ?? "")).toEqual(["Two. | Two. Done."]);
});

describe("opencode", () => {
  const time = (n: number) => ({
    created: 1_767_600_000_000 + n,
    completed: 1_767_600_000_500 + n,
  });
  const info = {
    id: "ses_0001",
    title: "Fix",
    directory: "/home/ann/shop",
    version: "1.18.0",
    time: { created: 1_767_600_000_000, updated: 1_767_600_002_000 },
  };
  const messages = [
    {
      info: { id: "msg_1", role: "user", time: time(1) },
      parts: [
        { id: "p1", type: "text", text: "Fix it." },
        { id: "p2", type: "text", text: "(system)", synthetic: true },
      ],
    },
    {
      info: {
        id: "msg_2",
        role: "assistant",
        time: time(2),
        cost: 0.02,
        tokens: { input: 9, output: 4, reasoning: 1, cache: { read: 1, write: 0 } },
        finish: "stop",
      },
      parts: [
        { id: "p3", type: "reasoning", text: "hm" },
        {
          id: "p4",
          type: "tool",
          tool: "bash",
          callID: "c1",
          state: {
            status: "completed",
            input: { command: "make" },
            output: "ok",
            time: { start: 1_767_600_000_100, end: 1_767_600_000_200 },
          },
        },
        { id: "p5", type: "text", text: "Fixed." },
      ],
    },
  ];
  const check = async () => {
    await bringIn("opencode");
    expect(await place.told("ses_0001")).toEqual(["Fix it. | Fixed."]);
    expect(await place.calls("ses_0001")).toEqual([["bash: make", "completed", "ok"]]);
    expect(await place.service.call("get", { id: "ses_0001" }, CALLER)).toMatchObject({
      title: "Fix",
      supports_resume: true,
      usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.02 },
    });
  };

  it("reads the output of opencode export", async () => {
    place.write("export.json", JSON.stringify({ info, messages }, null, 2));
    await check();
  });

  /** A database of OpenCode with one session, to be closed by the caller. */
  const makeDatabase = () => {
    const path = place.write("opencode.db", "");
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INT, time_updated INT);
      CREATE TABLE message(id TEXT, session_id TEXT, time_created INT, data TEXT);
      CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, time_created INT, data TEXT);`);
    database
      .prepare("INSERT INTO session VALUES (?, NULL, ?, ?, ?, ?, ?)")
      .run(info.id, info.directory, info.title, info.version, info.time.created, info.time.updated);
    for (const {
      info: { id, ...data },
      parts,
    } of messages) {
      database
        .prepare("INSERT INTO message VALUES (?, ?, ?, ?)")
        .run(id, info.id, data.time.created, JSON.stringify(data));
      for (const { id: part, ...rest } of parts) {
        database
          .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?)")
          .run(part, id, info.id, 0, JSON.stringify(rest));
      }
    }
    return { path, database };
  };

  it("reads its database and writes nothing to it", async () => {
    const { path, database } = makeDatabase();
    database.close();
    const before = readFileSync(path);
    await check();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("reports the damaged rows of its database and keeps the others", async () => {
    const { path, database } = makeDatabase();
    database.exec(`INSERT INTO message VALUES ('msg_0', 'ses_0001', 0, '{"role":"us');
      INSERT INTO part VALUES ('p3a', 'msg_2', 'ses_0001', 0, 'null');
      INSERT INTO part VALUES ('p3b', 'msg_2', 'ses_0001', 0, '{"type":"never-heard-of"}');`);
    database.close();
    await check();
    const { damage } = await place.import("opencode", { dry_run: true });
    expect(damage).toMatchObject([
      { file: path, why: "message msg_0 is not a complete record" },
      { file: path, why: "part p3a is not a complete record" },
    ]);
  });

  it("keeps the complete sessions of a database with a damaged page", async () => {
    const { path, database } = makeDatabase();
    const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'part'").get();
    database.close();
    const bytes = readFileSync(path);
    // The remaining part shows that the first message was sent.
    bytes.fill(0x55, (Number(page?.rootpage) - 1) * 4096, Number(page?.rootpage) * 4096);
    writeFileSync(path, bytes);
    const { damage, conversations } = await place.import("opencode");
    expect(conversations).toBe(1);
    expect(damage[0]).toMatchObject({ file: path, why: expect.stringContaining("malformed") });
  });
});
