import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { BelayError } from "../../src/contract/errors.ts";
import { isRecord } from "../../src/contract/is-record.ts";
import { OPERATIONS, type OperationName } from "../../src/contract/operations.ts";
import { WEBHOOK_EVENTS } from "../../src/contract/vocabulary.ts";
import { PublicPages } from "../../src/service/access/public-pages.ts";
import { defaultOwner } from "../../src/service/home-folder.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { COMPLETE } from "../core/document-payload.ts";
import { sampleSize } from "../crash/sample-size.ts";
import { until } from "../http/until.ts";
import { as, closePlaces, openPlace, type WebhookPlace } from "../webhooks/open-place.ts";
import { endReceivers, Receiver } from "../webhooks/receiver.ts";
import { leaked } from "./leaked.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** Every text field of every command, found in the schemas, with every shape of a secret, on every way out of a session. */

type Fields = Readonly<Record<string, unknown>>;
type Step = readonly [operation: OperationName, input: Fields];

interface Written {
  /** A valid input, which each of its text fields is then written into. */
  readonly input: Fields;
  /** The steps that it needs; they may depend on the input. */
  before?(input: Fields): readonly Step[];
}

const ID = "THE-SESSION";
const ACTION = ["begin_action", { id: ID, action_id: "act-1", type: "run" }] as const;

/** The commands that write text into the log of a session or task. */
const WRITING: Partial<Record<OperationName, Written>> = {
  create: { input: { agent_name: "a", project: { cwd: "/srv/x", repo: "r", branch: "b" } } },
  update: { input: { id: ID, resume_ready: true } },
  finalize: { input: { id: ID, outcome: "failed" } },
  suspend: { input: { id: ID, reason: "pause" } },
  cancel: { input: { id: ID } },
  rename: { input: { id: ID, title: "title" } },
  fork: { input: { id: ID } },
  record_turn: { input: { id: ID, input: "in", output: "out" } },
  begin_action: {
    input: { id: ID, type: "run", pid: process.pid, rollback: [{ title: "undo", command: "u" }] },
  },
  complete_action: {
    input: { id: ID, action_id: "act-1", result: "success" },
    before: () => [ACTION],
  },
  save_checkpoint: { input: { id: ID, name: "point", state: {} } },
  restore_checkpoint: {
    input: { id: ID, name: "point" },
    before: ({ name }) => [["save_checkpoint", { id: ID, name, state: {} }]],
  },
  request_approval: { input: { id: ID, title: "May I?" } },
  decide_approval: {
    input: { approval_id: "THE-APPROVAL", decision: "approved" },
    before: () => [["request_approval", { id: ID, title: "May I?" }]],
  },
  record_outcome: { input: { id: ID, type: "done" } },
  record_artifact: { input: { id: ID, name: "file" } },
  submit_observation: { input: { ...COMPLETE, session_id: ID } },
  share: {
    input: { id: ID, with: "zoe" },
    before: (input) => [["add_person", { name: input.with }]],
  },
  unshare: {
    input: { id: ID, with: "zoe" },
    before: (input) => [
      ["add_person", { name: input.with }],
      ["share", { id: ID, with: input.with }],
    ],
  },
  add_task: { input: { title: "task" } },
  update_task: {
    input: { task_id: `${ID}-task`, title: "task" },
    before: ({ task_id }) => [["add_task", { task_id, title: "task" }]],
  },
};

/** Commands without text for the log of a session or task, or which need an agent: their texts are those of turns. */
const OTHERS: readonly OperationName[] = [
  ...([
    "resume",
    "archive",
    "pin",
    "unpin",
    "set_expiry",
    "delete",
    "undelete",
    "purge",
    "merge",
  ] as const),
  ...(["send_message", "handoff", "replay", "interrupt", "recover", "answer_recovery"] as const),
  ...(["set_expiration", "cleanup", "import_conversations", "add_link", "revoke_link"] as const),
  ...(["add_person", "disable_person", "create_token", "revoke_token"] as const),
  ...(["add_webhook", "accept_webhook", "remove_webhook", "test_webhook"] as const),
];

/** Fields that name something that exists, or a time. */
const REFERENCES = ["id", "approval_id", "complete_action.action_id", "expires_at", "until"];
const OF_A_QUESTION = ["decide_approval.option", "decide_approval.digest"];
const NOT_TEXT = [...REFERENCES, ...OF_A_QUESTION, "added_at", "expected_files", "idempotency_key"];
const TIME = /timestamp$|started_at$|ended_at$/;

const KEY = "<key>";

/** The paths of all texts in a schema. A record has a key and a value, and an unknown value is a record too. */
function textsIn(schema: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!isRecord(schema)) return [];
  const { anyOf, type, items, properties, additionalProperties: more } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((one) => textsIn(one, path));
  if ("enum" in schema || "const" in schema) return [];
  if (type === "string" || (Array.isArray(type) && type.includes("string"))) return [path];
  if (type === "array") return textsIn(items, [...path, "0"]);
  const isOpen = type === undefined || isRecord(more);
  if (type !== "object" && !isOpen) return [];
  const known = Object.entries(isRecord(properties) ? properties : {});
  return [
    ...known.flatMap(([name, one]) => textsIn(one, [...path, name])),
    ...(isOpen
      ? [
          [...path, KEY],
          [...path, "note"],
        ]
      : []),
  ];
}

/** The same for an example of a document whose schema is open. */
function textsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => textsOf(one, [...path, name]));
}

/** A copy of the value with the text at this path. */
function withText(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  if (name === KEY) return { ...Object(value), [text]: "value" };
  if (/^\d$/.test(name)) {
    const items: unknown[] = Array.isArray(value) ? value : [];
    const item = withText(items[Number(name)], rest, text);
    return items.length === 0 ? [item] : items.with(Number(name), item);
  }
  return { ...Object(value), [name]: withText(Object(value)[name], rest, text) };
}

interface TextField {
  readonly operation: OperationName;
  readonly path: readonly string[];
  readonly label: string;
}

function isName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

const FIELDS = Object.keys(OPERATIONS)
  .filter(isName)
  .flatMap((operation): TextField[] => {
    const written = WRITING[operation];
    if (!written) return [];
    const options = { io: "input", unrepresentable: "any" } as const;
    const paths =
      operation === "submit_observation"
        ? textsOf(COMPLETE)
        : textsIn(z.toJSONSchema(OPERATIONS[operation].input, options));
    const labelled = paths.map((path) => ({
      operation,
      path,
      label: `${operation}.${path.join(".")}`,
    }));
    return labelled.filter(
      ({ path, label }) =>
        !NOT_TEXT.includes(path.join(".")) && !NOT_TEXT.includes(label) && !TIME.test(label),
    );
  });
/** What a caller tells about itself. */
const CALLER = ["actor", "trace_id"].map(
  (name): TextField => ({ operation: "finalize", path: [], label: name }),
);

const SHAPES = Object.values(SECRET_SHAPES);
/** In each round, every field gets another shape. */
const ROUNDS = sampleSize({ full: SHAPES.length, sample: 2 });
const OWNER = defaultOwner();

let place: WebhookPlace;
let redacted: Receiver;
let plain: Receiver;
beforeAll(async () => {
  place = await openPlace();
  [redacted, plain] = [await Receiver.start(), await Receiver.start()];
  for (const [receiver, redact] of [
    [redacted, true],
    [plain, false],
  ] as const) {
    const hook = { url: receiver.url, on: [...WEBHOOK_EVENTS], allow_private: true, redact };
    await place.service.call("add_webhook", hook, as(OWNER));
  }
});
afterAll(async () => {
  await closePlaces();
  await endReceivers();
});

describe("the text fields of all commands", () => {
  it("include every command, and names, titles, keys and nested texts", () => {
    const commands = Object.keys(OPERATIONS).filter(
      (name) => isName(name) && OPERATIONS[name].kind === "command",
    );
    const known: string[] = [...Object.keys(WRITING), ...OTHERS];
    expect(commands.filter((name) => !known.includes(name))).toEqual([]);
    const labels = FIELDS.map(({ label }) => label);
    for (const label of ["create.agent_name", "create.metadata.<key>", "create.project.branch"]) {
      expect(labels).toContain(label);
    }
    expect(labels.length).toBeGreaterThan(50);
  });

  it("each accept a word, so that the inputs here are valid", async () => {
    const refused: string[] = [];
    for (const [nth, field] of FIELDS.entries()) {
      const id = await write(
        field,
        field.path.includes("cwd") ? "/srv/word" : `a-word-${nth}`,
        `word-${nth}`,
      );
      if (id === null) refused.push(field.label);
    }
    expect(refused).toEqual([]);
  });

  it("contain no secret in any way out that is redacted", {
    timeout: 60_000 + ROUNDS * 40_000,
  }, async () => {
    const leaks: string[] = [];
    const stored: string[] = [];
    const sending = place.send();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [nth, field] of [...FIELDS, ...CALLER].entries()) {
        const { text, secret } = SHAPES[(nth + round) % SHAPES.length] ?? { text: "", secret: "" };
        const id = await write(field, text, `round-${round}-${nth}`);
        if (id === null) continue;
        stored.push(field.label);
        for (const [way, shown] of Object.entries(await readAll(id))) {
          if (leaked(shown, secret)) leaks.push(`${field.label} as ${way}: ${text}`);
        }
      }
    }
    // Most fields are short, so that not every shape fits into every field.
    expect(stored.length).toBeGreaterThan(ROUNDS * FIELDS.length * 0.4);
    await until(
      () => redacted.received.length > 0 && redacted.received.length === plain.received.length,
    );
    await sending.stop();
    const [sent, whole] = [redacted, plain].map(({ received }) => JSON.stringify(received));
    const found = SHAPES.filter(({ secret }) => leaked(String(sent), secret));
    expect({ leaks, webhooks: found.map(({ text }) => text) }).toEqual({ leaks: [], webhooks: [] });
    // Control: the same events without redaction contain the secrets.
    expect(SHAPES.filter(({ secret }) => leaked(String(whole), secret)).length).toBeGreaterThan(5);
  });

  it("control: are exported with their secrets without redaction", async () => {
    const { text, secret } = SECRET_SHAPES["github classic"] ?? { text: "", secret: "" };
    const kept: string[] = [];
    for (const [nth, field] of FIELDS.entries()) {
      const id = await write(field, text, `plain-${nth}`);
      if (id === null) continue;
      const { events } = await place.service.call("export", { id, limit: 500 }, as(OWNER));
      if (leaked(JSON.stringify(events), secret)) kept.push(field.label);
    }
    expect(kept.length).toBeGreaterThan(FIELDS.length / 2);
  });
});

/** Writes the text into a field of a new session, and returns the session's id; null if the field refuses the text. */
async function write(field: TextField, text: string, fresh: string): Promise<string | null> {
  const { input, before } = WRITING[field.operation] ?? { input: {} };
  const isCaller = CALLER.includes(field);
  const given = isCaller ? input : Object(withText(input, field.path, text));
  const caller = { ...as(OWNER), ...(isCaller && { [field.label]: `token:${text}` }) };
  let [id, approval] = [fresh, ""];
  const call = async (name: OperationName, asked: Fields): Promise<void> => {
    const named = JSON.stringify(asked).replaceAll(ID, id).replace("THE-APPROVAL", approval);
    const answer: unknown = await place.service.call(name, JSON.parse(named), caller);
    if (!isRecord(answer)) return;
    if (name === "request_approval") approval = String(answer.approval_id);
    if (typeof answer.entity_id === "string") id = answer.entity_id;
  };
  try {
    if (field.operation !== "create" && field.operation !== "submit_observation") {
      await call("create", {
        agent_name: "a",
        session_id: id,
        project: { cwd: "/srv/x", repo: null, branch: null },
      });
    }
    for (const [name, asked] of before?.(given) ?? []) await call(name, asked);
    await call(field.operation, given);
    return id;
  } catch (error) {
    if (error instanceof BelayError && error.code !== "internal") return null;
    throw error;
  }
}

/** Everything that leaves Belay redacted, as text. */
async function readAll(id: string): Promise<Readonly<Record<string, string>>> {
  const { service, context, home } = place;
  const caller = as(OWNER);
  const exported = await service.call("export", { id, redact: true, limit: 500 }, caller);
  const preview = await service.call("preview_link", { id }, caller);
  const { path } = await service.call("add_link", { id }, caller);
  const link = await new PublicPages(context).read(path.split("#")[1] ?? "", undefined, 200);
  const { link_id: _, owner: __, entity_id: ___, ...page } = link;
  const text = JSON.stringify(page);
  // Every replaced secret is announced.
  if (text.includes("[redacted:")) expect(preview.hidden_count, text).toBeGreaterThan(0);
  const written = ["markdown", "ndjson"].map(async (format) => {
    const flags = ["export", id, "--redact", "--format", format];
    return [format, (await runInProcess(home, flags, false)).stdout] as const;
  });
  return {
    export: JSON.stringify(exported),
    "public link": text,
    // Its owner sees it, under the id that they chose.
    preview: JSON.stringify(preview.hidden),
    ...Object.fromEntries(await Promise.all(written)),
  };
}
