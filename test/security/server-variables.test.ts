import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { OperationName } from "../../src/contract/operations.ts";
import { writeRedactionMark } from "../../src/files/redaction-mark.ts";
import { DEMO_ENV, DEMO_PROGRAM } from "../agent/demo/demo-program.ts";
import { until } from "../http/until.ts";
import { ClaudeLines } from "../import/conversations/claude-lines.ts";
import { lines } from "../import/conversations/import-place.ts";
import type { Door, Fields } from "../parity/door.ts";
import { openGraphqlDoor } from "../parity/graphql-door.ts";
import { openMcpDoor } from "../parity/mcp-door.ts";
import { openRestDoor } from "../parity/rest-door.ts";
import {
  endAll,
  listOf,
  newPlace,
  type RealServer,
  runBelay,
  type ServerPlace,
  serve,
  textOf,
} from "../serve/server-process.ts";
import { endReceivers, Receiver } from "../webhooks/receiver.ts";

/** Nobody can guess the variables of a server: no byte of its answers depends on them. */

const SECRET = "tangerine-plum-77-kiwi";
/** Two environments of the server. */
const ONE = { DEPLOY_TOKEN: SECRET, OPENAI_API_KEY: "persimmon-quince-31" };
const OTHER = { DEPLOY_TOKEN: "meadow-at-dawn-5-fern", CLIENT_SECRET: "heather-and-moss" };

const values = [...Object.values(ONE), ...Object.values(OTHER)];
const forms = values.flatMap((value) => [value, Buffer.from(value).toString("base64")]);
/** Whole values, each of their starts at the end of a text, and titles of the length at which Belay cuts them. */
const GUESSES = [
  forms.join(" "),
  ...starts(SECRET).map((start) => `is it ${start}`),
  ...starts(SECRET).map((start) => `is it ${start}…`),
];
const TITLES = starts(SECRET).map(
  (start) => `${"word ".repeat(20).slice(0, 77 - start.length)}${start}…`,
);
const PASSWORD = "my password=sunflower-field-1";
const AGENTS = "marigold-by-the-sea-8";

function starts(value: string): string[] {
  return [6, 9, 13, value.length - 1].map((length) => value.slice(0, length));
}

const places: ServerPlace[] = [];
afterEach(async () => {
  await endAll();
  await endReceivers();
  for (const place of places.splice(0)) place.remove();
});

function place(): ServerPlace {
  const made = newPlace();
  places.push(made);
  return made;
}

describe("the variables of a server", () => {
  it("change no byte of what it shows of a session", async () => {
    const at = place();
    const first = await serve(at, { env: ONE });
    await record(openRestDoor(first), "guesses");
    // A server suspends active sessions when it ends.
    await finalize(first, "done");
    const shown = await show(first);
    for (const guess of [...GUESSES, ...TITLES])
      expect(shown.events).toContain(JSON.stringify(guess));
    const links = { own: await share(first), theirs: "" };
    const pages = { own: await open(first, links.own), theirs: "" };
    await first.end();

    const second = await serve(at, { env: OTHER });
    expect(await show(second)).toEqual(shown);
    expect(await open(second, links.own)).toBe(pages.own);
    links.theirs = await share(second);
    pages.theirs = await open(second, links.theirs);
    for (const page of Object.values(pages)) {
      for (const guess of GUESSES) expect(page).toContain(JSON.stringify(guess));
    }
    await second.end();

    const third = await serve(at, { env: ONE });
    expect(await open(third, links.theirs)).toBe(pages.theirs);
    await third.end();

    // Control: the owner's own command line hides them, and so does the link that it creates, on any server.
    const exported = await runBelay(at, ["export", "guesses", "--redact"], ONE);
    expect(exported.stdout).toContain("[redacted:known]");
    expect(exported.stdout).not.toContain(SECRET);
    expect(exported.stdout).not.toContain(`${starts(SECRET)[0]}…`.padStart(80, "word "));
    const made = await runBelay(at, ["share", "guesses", "--link", "--json"], ONE);
    const fourth = await serve(at, { env: OTHER });
    const page = await open(fourth, textOf(made.json, "path").split("#")[1] ?? "");
    expect(page).toContain("[redacted:known]");
    expect(page).not.toContain(SECRET);
  });

  it("change no byte of what it sends", async () => {
    const receiver = await Receiver.start();
    const at = place();
    const server = await serve(at, { env: ONE });
    const hook = {
      url: receiver.url,
      on: ["session.completed"],
      allow_private: true,
      redact: true,
    };
    expect((await server.ask("POST", "/webhooks", { body: hook })).status).toBe(201);
    await record(openRestDoor(server), "guesses");
    const summary = forms.join(" ").slice(0, 190);
    await finalize(server, summary);
    await until(() => receiver.received.length > 0);
    expect(receiver.received[0]?.text).toContain(JSON.stringify(summary));
    expect(receiver.received[0]?.text).toContain(JSON.stringify(TITLES.at(-1)));
  });

  it("change no byte of what it stores without secrets, whoever sends it", async () => {
    const stored: unknown[] = [];
    for (const env of [ONE, OTHER]) {
      const at = place();
      mkdirSync(at.home, { mode: 0o700 });
      writeRedactionMark(at.home, true);
      const server = await serve(at, { env });
      await record(openRestDoor(server), "through-rest");
      await record(openGraphqlDoor(server), "through-graphql");
      await record(await openMcpDoor(server), "through-mcp");
      await recordHook(server, HOOKED);
      await upload(server, IMPORTED);
      const ids = ["through-rest", "through-graphql", "through-mcp", HOOKED, IMPORTED];
      const texts = await Promise.all(ids.map(async (id) => textsOf(server, id)));
      stored.push(texts);
      for (const [n, text] of texts.entries()) {
        expect([ids[n], text]).toEqual([ids[n], expect.stringContaining(forms.join(" "))]);
        // Without the rules, `redact store` would do nothing here.
        expect(text).toContain("my password=[redacted:password]");
        expect(text).not.toContain("sunflower");
      }
      await server.end();
    }
    expect(stored[1]).toEqual(stored[0]);
  });

  it("change nothing that its agents say, except for the variables that it gave to the agent", async () => {
    const stored: unknown[] = [];
    for (const env of [ONE, OTHER]) {
      const at = place();
      mkdirSync(at.home, { mode: 0o700 });
      writeRedactionMark(at.home, true);
      const agent = {
        command: process.execPath,
        args: [DEMO_PROGRAM],
        env: { ...DEMO_ENV, BELAY_DEMO_FOLDER: join(at.home, "memory") },
        pass_env: ["AGENTS_TOKEN"],
      };
      const settings = JSON.stringify({ agents: { agent } });
      writeFileSync(join(at.home, "agents.json"), settings, { mode: 0o600 });
      const server = await serve(at, { env: { ...env, AGENTS_TOKEN: AGENTS } });
      const project = { cwd: join(at.root, "work"), repo: null, branch: null };
      const body = { session_id: "a-talk", agent_name: "agent", project };
      expect((await server.ask("POST", "/sessions", { body })).status).toBe(201);
      const guesses = [GUESSES[0], GUESSES[2], GUESSES.at(-1)];
      const words = [...guesses, `and ${AGENTS} and ${AGENTS.slice(0, -1)}`];
      for (const word of words) {
        const said = { message: `/say ${word}` };
        const answered = await server.ask("POST", "/sessions/a-talk/messages", { body: said });
        expect(answered.json).toMatchObject({ status: "completed" });
      }
      const log = await server.ask("GET", "/sessions/a-talk/events?limit=1000");
      const events = listOf(log.json, "events");
      const parts = events
        .filter(({ type }) => type === "turn.part")
        .map(({ data }) => textOf(data, "text"));
      const said = parts.join("");
      for (const guess of guesses) expect(said).toContain(guess);
      expect(said).toContain(`and [redacted:known] and ${AGENTS.slice(0, -1)}`);
      expect(said).not.toContain(AGENTS);
      // A person's message is not what the agent said: it shows nobody whether a guess is right.
      expect(JSON.stringify(events.filter(({ type }) => type === "message.queued"))).toContain(
        AGENTS,
      );
      stored.push(said);
      await server.end();
    }
    expect(stored[1]).toEqual(stored[0]);
  });
});

async function record(door: Door, session_id: string): Promise<void> {
  const call = async (operation: OperationName, input: Fields) =>
    expect(await door.call(operation, input)).toMatchObject({ ok: true });
  await call("create", { session_id, agent_name: "elsewhere", title: TITLES[0] });
  for (const input of [...GUESSES, PASSWORD]) {
    await call("record_turn", { id: session_id, input, output: input });
  }
  // MCP has no tool that renames.
  for (const title of TITLES) await door.call("rename", { id: session_id, title });
}

async function finalize(server: RealServer, summary: string): Promise<void> {
  const body = { outcome: "completed", summary };
  expect((await server.ask("POST", "/sessions/guesses/finalize", { body })).status).toBe(200);
}

const HOOKED = "22222222-aaaa-4bbb-8ccc-0123abcd0002";
const IMPORTED = "11111111-aaaa-4bbb-8ccc-0123abcd0001";

async function recordHook(server: RealServer, session_id: string): Promise<void> {
  const hook = async (fields: object): Promise<void> => {
    const body = { session_id, cwd: server.place.root, ...fields };
    const { status } = await server.ask("POST", "/hooks/claude-code", { body });
    expect(status).toBeLessThan(300);
  };
  await hook({ hook_event_name: "SessionStart", source: "startup" });
  for (const prompt of [...GUESSES, PASSWORD]) {
    await hook({ hook_event_name: "UserPromptSubmit", prompt });
    await hook({ hook_event_name: "Stop", last_assistant_message: prompt });
  }
}

async function upload(server: RealServer, id: string): Promise<void> {
  const claude = new ClaudeLines(id);
  for (const text of [...GUESSES, PASSWORD]) {
    claude.user(text);
    claude.says(text);
  }
  const headers = {
    "content-type": "application/octet-stream",
    authorization: `Bearer ${server.token}`,
  };
  const path = `/imports/claude-code/files?name=${id}.jsonl`;
  const sent = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers,
    body: lines(claude.records),
  });
  expect([sent.status, await sent.json()]).toMatchObject([200, { new_sessions: 1 }]);
}

/** What everyone may see of the session, through each way that shows it without secrets. */
async function show(server: RealServer) {
  const { token } = server;
  const made = await server.ask("GET", "/sessions/guesses/export?redact=true", { token });
  const paged = await server.ask("GET", "/sessions/guesses/export?redact=true&limit=5");
  const preview = await server.ask("GET", "/sessions/guesses/links/preview");
  const graphql = await openGraphqlDoor(server).call("export", { id: "guesses", redact: true });
  expect(graphql).toMatchObject({ ok: true });
  for (const { status } of [made, paged, preview]) expect(status).toBe(200);
  return { events: made.text, paged: paged.text, preview: preview.text, graphql };
}

/** The secret part of a new link. */
async function share(server: RealServer): Promise<string> {
  const made = await server.ask("POST", "/sessions/guesses/links", { body: {} });
  expect(made.status).toBe(201);
  return textOf(made.json, "path").split("#")[1] ?? "";
}

async function open(server: RealServer, link: string): Promise<string> {
  const page = await server.ask("POST", "/link", {
    body: { link },
    headers: { authorization: "" },
  });
  expect(page.status).toBe(200);
  return page.text;
}

/** The texts of a session's events, without ids and times. */
async function textsOf(server: RealServer, id: string): Promise<string> {
  const { json } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
  return listOf(json, "events")
    .flatMap(({ data }) => [...strings(data)])
    .filter((text) => /\s/.test(text) && !text.includes("/"))
    .join("\n");
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const inside of Object.values(value)) yield* strings(inside);
  }
}
