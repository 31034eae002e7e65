import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CALLER, ImportPlace, lines } from "./import-place.ts";
import { CODEX_FILE, CODEX_ID, codex, codexMeta } from "./samples.ts";

let place: ImportPlace;
beforeEach(() => {
  place = new ImportPlace();
});
afterEach(() => place.remove());

const uuid = (n: number) => `99999999-aaaa-7bbb-8ccc-0000000000${n}`;
const file = (day: number, thread: string, rollout?: string) =>
  `sessions/2026/01/${day}/rollout-2026-01-${day}T10-00-00-${thread}${rollout ? `_${rollout}` : ""}.jsonl`;

/** Records of a thread of newer versions, which are numbered through all its files. */
class Paginated {
  readonly records: unknown[] = [];
  readonly #first: number;

  constructor(id: string, more: Record<string, unknown> = {}, base?: Base) {
    this.#first = base?.end_ordinal_exclusive ?? 0;
    this.add(codexMeta({ id, history_mode: "paginated", history_base: base, ...more }));
  }

  add(...records: unknown[]): this {
    for (const record of records) {
      this.records.push({ ...Object(record), ordinal: this.#first + this.records.length });
    }
    return this;
  }

  turn(prompt: string, answer: string): this {
    const item = (type: string, text: string) => ({
      type: "item_completed",
      item: { type, id: `${type}-${prompt}`, content: [{ type: "text", text }] },
    });
    const call_id = `call-${prompt}`;
    return this.add(
      codex("event_msg", { type: "turn_started", turn_id: prompt }),
      codex("response_item", {
        ...{ type: "message", role: "user" },
        content: [{ type: "input_text", text: "<new_kind>what the model is told</new_kind>" }],
        internal_chat_message_metadata_passthrough: { content_item_kinds: ["unknown"] },
      }),
      codex("response_item", {
        ...{ type: "message", role: "user" },
        content: [{ type: "input_text", text: prompt }],
      }),
      codex("event_msg", item("UserMessage", prompt)),
      codex("response_item", { type: "function_call", name: "shell", call_id, arguments: "{}" }),
      codex("response_item", { type: "function_call_output", call_id, output: "ok" }),
      codex("event_msg", {
        type: "item_completed",
        item: { type: "CommandExecution", id: call_id, command: ["ls"], status: "completed" },
      }),
      codex("response_item", {
        ...{ type: "message", role: "assistant" },
        content: [{ type: "output_text", text: answer }],
      }),
      codex("event_msg", item("AgentMessage", answer)),
      codex("event_msg", { type: "turn_complete" }),
    );
  }

  get text(): string {
    return lines(this.records);
  }

  /** The place after the last record so far. */
  end(rollout: string): Base {
    const end_ordinal_exclusive = this.#first + this.records.length;
    return { thread_id: rollout, end_ordinal_exclusive, end_byte_offset: this.text.length };
  }
}

interface Base {
  readonly thread_id: string;
  readonly end_ordinal_exclusive: number;
  readonly end_byte_offset: number;
}

async function bringIn() {
  const report = await place.import("codex");
  expect(await place.import("codex")).toMatchObject({ turns: 0, new_sessions: 0 });
  return report;
}

it("imports each item of a newer file once, including items that the model never saw", async () => {
  const thread = new Paginated(CODEX_ID).turn("One?", "1.").add(
    codex("event_msg", {
      type: "item_completed",
      item: {
        ...{ type: "CommandExecution", id: "typed", command: ["git", "status"], status: "failed" },
        aggregated_output: "no repository",
      },
    }),
    codex("event_msg", {
      type: "item_completed",
      item: { type: "Plan", id: "plan", text: "First this." },
    }),
  );
  place.write(`sessions/${CODEX_FILE}`, thread.text);
  await bringIn();
  expect(await place.told(CODEX_ID)).toEqual(["One? | 1."]);
  expect(await place.calls(CODEX_ID)).toMatchObject([
    [expect.anything(), "completed", "ok"],
    [expect.stringContaining("git status"), "failed", "no repository"],
  ]);
  expect(JSON.stringify(await place.log(CODEX_ID))).toContain("First this.");
});

it("reports missing records", async () => {
  const { records } = new Paginated(CODEX_ID).turn("One?", "1.").turn("Two?", "2.");
  const path = place.write(`sessions/${CODEX_FILE}`, lines(records.toSpliced(7, 2)));
  const { damage } = await bringIn();
  expect(damage).toEqual([{ file: path, line: 8, why: "records 7 to 8 are missing" }]);
});

it("imports prompts with images, which no event repeats", async () => {
  const image = '<image name=[Image #1] path="/tmp/a.png">';
  const texts = [image, "</image>", "[Image #1] What is it?"].map((text) => ({
    ...{ type: "input_text", text },
  }));
  const thread = new Paginated(CODEX_ID).turn("One?", "1.").add(
    codex("response_item", {
      ...{ type: "message", role: "user", content: texts },
      internal_chat_message_metadata_passthrough: {
        content_item_kinds: ["user.text", "user.text", "user.text"],
      },
    }),
  );
  place.write(`sessions/${CODEX_FILE}`, thread.text);
  await bringIn();
  expect(await place.told(CODEX_ID)).toEqual(["One? | 1.", "[Image #1] What is it? | "]);
});

it("a reverted thread continues from its earlier file, and the reverted turns are a branch", async () => {
  const first = new Paginated(CODEX_ID).turn("One?", "1.");
  const base = first.end(CODEX_ID);
  first.turn("Two?", "2.");
  const second = new Paginated(CODEX_ID, {}, base).turn("Other?", "3.");
  const later = second.end(uuid(21));
  second.turn("Wrong?", "4.");
  const third = new Paginated(CODEX_ID, {}, later);
  place.write(file(10, CODEX_ID), first.text);
  place.write(file(11, CODEX_ID, uuid(21)), second.text);
  place.write(file(12, CODEX_ID, uuid(22)), third.text);
  const { sessions, damaged } = await bringIn();
  expect(damaged).toBe(0);
  expect(await place.told(CODEX_ID)).toEqual(["One? | 1.", "Other? | 3."]);
  const others = sessions.filter(({ session_id }) => session_id !== CODEX_ID);
  const told = await Promise.all(others.map(({ session_id }) => place.told(session_id)));
  expect(told.sort()).toEqual([
    ["One? | 1.", "Other? | 3.", "Wrong? | 4."],
    ["One? | 1.", "Two? | 2."],
  ]);
  third.turn("Right?", "5.");
  place.write(file(12, CODEX_ID, uuid(22)), third.text);
  expect(await bringIn()).toMatchObject({ turns: 1, grown_sessions: 1 });
  expect((await place.told(CODEX_ID)).at(-1)).toBe("Right? | 5.");
});

it.each(["plain", "packed"])(
  "a forked thread is a fork, and its %s origin is found anywhere",
  async (how) => {
    const origin = new Paginated(CODEX_ID).turn("One?", "1.");
    const base = origin.end(CODEX_ID);
    origin.turn("Two?", "2.");
    const path = `archived_sessions/${CODEX_FILE}`;
    if (how === "plain") place.write(path, origin.text);
    else place.write(`${path}.zst`, zstdCompressSync(origin.text));
    const fork = new Paginated(uuid(31), { forked_from_id: CODEX_ID }, base).turn("Other?", "3.");
    const again = new Paginated(uuid(32), { forked_from_id: uuid(31) }, fork.end(uuid(31)));
    place.write(file(11, uuid(31)), fork.text);
    const last = place.write(file(12, uuid(32)), again.turn("Last?", "4.").text);
    await place.import("codex");
    // The others are found although only one file is named.
    expect(await place.import("codex", { path: last })).toMatchObject({ turns: 0, damaged: 0 });
    expect(await place.told(uuid(31))).toEqual(["One? | 1.", "Other? | 3."]);
    expect(await place.told(uuid(32))).toEqual(["One? | 1.", "Other? | 3.", "Last? | 4."]);
    expect(await place.service.call("get", { id: uuid(32) }, CALLER)).toMatchObject({
      parent_session_id: uuid(31),
    });
  },
);

it("reports a missing earlier file of a thread, and imports the rest", async () => {
  const base = new Paginated(uuid(40)).turn("Lost?", "0.").end(uuid(40));
  const path = place.write(
    file(11, CODEX_ID, uuid(41)),
    new Paginated(CODEX_ID, {}, base).turn("One?", "1.").text,
  );
  const round = { thread_id: uuid(42), end_ordinal_exclusive: 1, end_byte_offset: 9 };
  place.write(file(12, uuid(42)), new Paginated(uuid(42), {}, round).turn("Two?", "2.").text);
  const { damage } = await bringIn();
  expect(damage).toMatchObject([
    { file: path, line: 1, why: `the rollout ${uuid(40)}, which it continues, was not found` },
    { line: 1, why: `the rollout ${uuid(42)}, which it continues, was not found` },
  ]);
  expect(await place.told(uuid(41))).toEqual(["One? | 1."]);
  expect(await place.told(uuid(42))).toEqual(["Two? | 2."]);
});

it("leaves out of a sub-agent the turns that it got from its parent", async () => {
  const parent = new Paginated(CODEX_ID).turn("One?", "1.");
  place.write(file(10, CODEX_ID), parent.text);
  const meta = { parent_thread_id: CODEX_ID };
  // Older versions copied all of it, newer ones name the start of the sub-agent's own part.
  const [, ...copied] = new Paginated(uuid(51)).turn("Look?", "Seen.").records;
  const legacy = [codexMeta({ id: uuid(51), ...meta }), ...parent.records, ...copied];
  place.write(
    file(11, uuid(51)),
    lines(legacy.map((record) => ({ ...Object(record), ordinal: undefined }))),
  );
  const source = { subagent: { thread_spawn: meta } };
  const newer = new Paginated(uuid(52), { source, subagent_history_start_ordinal: 11 });
  newer.turn("One?", "1.").turn("Seek?", "Found.");
  place.write(file(12, uuid(52)), newer.text);
  await bringIn();
  expect(await place.told(uuid(51))).toEqual(["Look? | Seen."]);
  expect(await place.told(uuid(52))).toEqual(["Seek? | Found."]);
  for (const id of [uuid(51), uuid(52)]) {
    const { metadata } = await place.service.call("get", { id }, CALLER);
    expect(metadata).toMatchObject({ parent_session_id: CODEX_ID });
  }
  expect(await place.service.call("get", { id: uuid(51) }, CALLER)).toMatchObject({
    title: "Look?",
  });
});

it("reads a file once that exists compressed and uncompressed", async () => {
  const { text } = new Paginated(CODEX_ID).turn("One?", "1.");
  place.write(`sessions/${CODEX_FILE}`, text);
  place.write(`sessions/${CODEX_FILE}.zst`, zstdCompressSync(text));
  expect(await bringIn()).toMatchObject({ conversations: 1, turns: 1 });
});
