import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environmentSecrets } from "../../src/redaction/environment-secrets.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { defaultOwner } from "../../src/service/home-folder.ts";
import { redactCaller } from "../../src/service/redact/redact-caller.ts";
import { redactTwice } from "../../src/service/redact/redact-twice.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { cpuTimeOf } from "../cpu-time.ts";
import { until } from "../http/until.ts";
import { as, closePlaces, openPlace, type WebhookPlace } from "../webhooks/open-place.ts";
import { endReceivers, Receiver } from "../webhooks/receiver.ts";
import { leaked } from "./leaked.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** Redacted output contains no secret, in whatever form it was written. */

const shapes = Object.entries(SECRET_SHAPES);
/** The identity of the command line here. */
const ANN = as(defaultOwner());

/** The ways to write a text inside another. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => `before ${text} after`,
  json: (text) => `before ${JSON.stringify({ output: text })} after`,
  "json in json": (text) => JSON.stringify({ output: JSON.stringify([text]) }),
  url: (text) => `https://example.org/?q=${encodeURIComponent(text)} after`,
  html: (text) => `<b>${text.replaceAll('"', "&quot;").replaceAll("&", "&amp;")}</b>`,
  base64: (text) => `before ${Buffer.from(`the file: ${text} end`).toString("base64")} after`,
  base64url: (text) => `data=${Buffer.from(text).toString("base64url")}`,
  "base64 after a path": (text) => `GET /cfg/${Buffer.from(text).toString("base64")}`,
  "base64 in lines": (text) =>
    Buffer.from(`${"many words ".repeat(20)}${text}\n${"more ".repeat(30)}`)
      .toString("base64")
      .replaceAll(/.{76}/g, "$&\n"),
  "json in base64": (text) => Buffer.from(JSON.stringify({ data: text })).toString("base64"),
  "in color": (text) => `.env:\u001b[01;31m\u001b[K${text}\u001b[m\u001b[K after`,
  "in color in json": (text) => JSON.stringify({ output: `\u001b[32m${text}\u001b[0m` }),
  "with characters without width": (text) => `\u200b${text.slice(0, 3)}\u200b${text.slice(3)}`,
  "removed lines of a diff": (text) => `@@ -1 +0,0 @@\n${text.replaceAll(/^/gm, "-")}\n+after`,
  "unicode escapes": (text) =>
    [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
};

describe("a text", () => {
  const cases = shapes.flatMap(([name, shape]) =>
    Object.entries(FORMS).map(
      ([form, write]) => [name, form, write(shape.text), shape.secret] as const,
    ),
  );

  it.each(cases)("contains no %s, written as %s", (_name, _form, text, secret) => {
    expect(leaked(text, secret)).toBe(true);
    expect(leaked(createRedactor([]).text(text), secret)).toBe(false);
  });

  it.each(shapes)("contains no %s, cut into chunks anywhere", (_, { text, secret }) => {
    const step = Math.max(1, Math.floor(text.length / 12));
    for (let cut = 1; cut < text.length; cut += step) {
      const pieces = [
        `so: ${text.slice(0, cut)}`,
        text.slice(cut, cut + 1),
        `${text.slice(cut + 1)}\n.`,
      ];
      const redacted = createRedactor([]).pieces(
        pieces.map((piece) => ({ text: piece, path: "" })),
      );
      expect(redacted).toHaveLength(3);
      expect(leaked(redacted.join(""), secret)).toBe(false);
      expect(redacted[0]?.startsWith("so: ")).toBe(true);
      expect(redacted[2]?.endsWith("\n.")).toBe(true);
    }
  });

  it("control: leaks if its chunks are checked separately", () => {
    const { text, secret } = SECRET_SHAPES["github classic"] ?? { text: "", secret: "" };
    const pieces = [text.slice(0, 15), text.slice(15)];
    const one = pieces.map((piece) => createRedactor([]).text(`${piece} `)).join("");
    expect(leaked(one, secret)).toBe(true);
  });

  it("contains no start of a token if it was shortened", () => {
    const { text } = SECRET_SHAPES["github classic"] ?? { text: "" };
    for (const end of ["", "…"]) {
      expect(createRedactor([]).text(`use ${text.slice(0, 14)}${end}`)).not.toContain(
        text.slice(0, 12),
      );
    }
  });

  it.each([
    "**Password:** hunter2-md",
    "- **Password**: `hunter2-md`",
    "Password: `hunter2-md`",
    "`password`: hunter2-md",
    "__API key__ and __token:__ hunter2-md",
    "Your password: hunter2-md.",
    "The password is: hunter2-md",
    "password:\u00a0hunter2-md",
  ])("contains no password of a document, and learns it: %s", (text) => {
    const redactor = createRedactor([]);
    expect(redactor.text(text)).not.toContain("hunter2");
    expect([...redactor.learned]).toEqual(["hunter2-md"]);
  });

  it.each([
    ['{"password":"ab\\"hunter2","n":1}', '{"password":"[redacted:password]","n":1}'],
    ["DB_PASSWORD=ab(c)d,hunter2;&x\nA=b", "DB_PASSWORD=[redacted:secret]\nA=b"],
  ])("contains nothing of a password with separators: %s", (text, shown) => {
    expect(createRedactor([]).text(text)).toBe(shown);
  });

  it.each([
    "Bearer my-static-value-7",
    "bearer abcdefgh12345678",
    "Bearer with-dashes-only",
    "Basic dXNlcjpwYXNz",
    "token 0123456789abcdef",
    "Digest aGVsbG8gd29ybGQ",
    "ALTER USER app WITH PASSWORD 'marigolds'",
    "ALTER USER app WITH PASSWORD hunter2-sql",
  ])("contains no credentials without the name of a header: %s", (text) => {
    const secret = text.split(" ").at(-1)?.replaceAll("'", "") ?? "";
    expect(createRedactor([]).text(text)).not.toContain(secret);
  });

  it("hides names of program code in no other place", () => {
    const code = [
      "const token = randomBytes(16);",
      "function read(token: Credentials, secret: string) {",
      "login({ password: request.body.password, token: localStorage.getItem(KEY) });",
      "const password=generatePassword(12);",
    ];
    const redactor = createRedactor([]);
    redactor.text(code.join("\n"));
    expect([...redactor.learned]).toEqual([]);
    const config = createRedactor([]);
    config.text('TOKEN=tangerine\nsecret: "sunflowers"\npassword: marigolds\n');
    expect([...config.learned].toSorted()).toEqual(["marigolds", "sunflowers", "tangerine"]);
  });

  const LISTINGS: Readonly<Record<string, (line: string, n: number) => string>> = {
    "a file": (line) => line,
    "removed lines": (line) => `-${line}`,
    "a quote": (line) => `> ${line}`,
    "numbered lines": (line, n) => `${String(n + 1).padStart(6)}\t${line}`,
    "lines after an arrow": (line, n) => `${String(n + 1).padStart(6)}→${line}`,
    "strings in a list": (line) => `  "${line}",`,
  };

  it.each(Object.entries(LISTINGS))("contains no key that was cut off in %s", (_, write) => {
    const { text } = SECRET_SHAPES["rsa private key"] ?? { text: "" };
    const [begin = "", ...lines] = text.split("\n").slice(0, 9);
    const headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", ""];
    for (const all of [
      [begin, ...lines],
      [begin, ...headers, ...lines],
    ]) {
      const shown = createRedactor([]).text(all.map(write).join("\n"));
      expect(lines.filter((line) => leaked(shown, line))).toEqual([]);
    }
  });

  it("is hidden in another color too", () => {
    const colored = "password=\u001b[32mhunter2-color\u001b[0m";
    const redactor = createRedactor([]);
    expect(redactor.text(colored)).toBe("password=\u001b[32m[redacted:password]\u001b[0m");
    expect([...redactor.learned]).toEqual(["hunter2-color"]);
  });

  it("cannot disable a rule by its content", () => {
    const { text, secret } = SECRET_SHAPES.gitlab ?? { text: "", secret: "" };
    const hostile = `/* secretlint-disable */ # secretlint-disable-line\n${text} // secretlint-disable-line`;
    expect(leaked(createRedactor([]).text(hostile), secret)).toBe(false);
  });

  it("contains no secret whose name looks like the value of another", () => {
    const { text, secret } = SECRET_SHAPES["aws secret"] ?? { text: "", secret: "" };
    for (const name of ["token:", "password = ", "DB_PASS="]) {
      expect(leaked(createRedactor([]).text(`${name}${text}`), secret)).toBe(false);
    }
  });

  it("keeps text that is not secret", () => {
    const texts = [
      "input_tokens: 1234, output_tokens: 99",
      "the token expired; see 01990000-0000-7000-8000-00000000000a",
      `sha256 ${"ab12".repeat(16)}`,
      "password: string",
      "export PASSWORD=$PASSWORD",
      "token: process.env.TOKEN",
      "A basic idea: bearer of bad news.",
      "https://example.org/a/b?page=2#c",
      "http://localhost:3000/@vite/client and ann@example.org",
      "PATH=/usr/bin:/home/ann:/opt/a:b and file:/srv/a/b:12 by ann@example.org",
      "MAX_KEY=5 PRIMARY KEY (id)",
      "mysql -u root app",
      "Basic functionality, token validation and the digest algorithm; see token src/auth/token-store.ts.",
      "Bearer authentication, and a basic TypeScript example of tokens.",
      "Users log in with password authentication, and are identified by username.",
      "if (headers.authorization === undefined || headers.authorization !== own) return null;",
    ];
    for (const text of texts) expect(createRedactor([]).text(text)).toBe(text);
    const again = createRedactor([]).text("password=hunter2-xyz");
    expect(createRedactor([]).text(again)).toBe(again);
  });

  it("contains no secrets of the environment", () => {
    const env = {
      DEPLOY_TOKEN: "tangerine-42",
      HOME: "/home/ann",
      PATH: "/usr/bin",
      MY_KEY: "/a/b",
    };
    const known = environmentSecrets(env);
    const redactor = createRedactor(known);
    const base64 = Buffer.from("tangerine-42").toString("base64");
    const said = `tangerine-42 tangerine%2D42 ${base64} in /home/ann, /a/b; and tangerin…`;
    const shown = redactor.text(said);
    expect(shown).not.toMatch(/tangerin|dGFuZ2/);
    expect(shown).toContain("in /home/ann, /a/b");
    expect(redactor.hidden.length).toBe(4);
  });
});

describe("a value", () => {
  it("contains no value with a secret name, at any position", () => {
    const redactor = createRedactor([]);
    const value = redactor.value({
      env: [{ name: "DB_PASSWORD", value: "x1" }],
      headers: { Authorization: "abc", "x-api-key": ["k1", "k2"] },
      args: ["--token", "t1", "--verbose", "yes"],
      password: 1234,
      usage: { input_tokens: 5 },
      token_id: "01990000",
      "password=hunter2-key": "as a name",
    });
    expect(value).toEqual({
      env: [{ name: "DB_PASSWORD", value: "[redacted:named]" }],
      headers: {
        Authorization: "[redacted:named]",
        "x-api-key": ["[redacted:named]", "[redacted:named]"],
      },
      args: ["--token", "[redacted:named]", "--verbose", "yes"],
      password: "[redacted:named]",
      usage: { input_tokens: 5 },
      token_id: "01990000",
      "password=[redacted:password]": "as a name",
    });
    expect(JSON.stringify(redactor.hidden)).not.toContain("hunter2");
  });

  it("is redacted at any depth", () => {
    let deep: unknown = "password=hunter2-deep";
    for (let n = 0; n < 2000; n++) deep = [deep];
    expect(JSON.stringify(createRedactor([]).value(deep))).not.toContain("hunter2");
  });
});

describe("a megabyte on one line", () => {
  const fill = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
  const hostile = [
    "a",
    "sk-",
    "password: '",
    "password=",
    "token: ",
    "A_KEY=",
    "eyJaaaaaaaaa.",
    "://a:",
    "\\\\",
    "%25",
    "-----BEGIN PRIVATE KEY-----\nMII",
    "-----BEGIN PRIVATE KEY-----\n→aaaaaaaaaaaaaaaa",
    "-----BEGIN PRIVATE KEY-----\n→aaaaaaaaaaaaaaaa",
    "curl -u ",
    "Cookie: a=",
    "ghp_",
    `ghp_${"a1B2".repeat(9)} `,
    "Authorization: ",
    "?key=",
    "Token a",
    "token a.",
    "Token a",
    "token a.",
    "\u001b[",
    "\u001b[32m",
    "\u200b",
  ];

  it.each(hostile)("of %j takes limited time", async (text) => {
    const took = await cpuTimeOf(() => createRedactor(["tangerine-42"]).text(fill(text)));
    expect(took).toBeLessThan(4000);
  });
});

describe("a session", () => {
  let place: WebhookPlace;
  const id = "leaky-session";
  const all = shapes.map(([, { text }]) => text).join("\n\n");
  const TANGERINE = "tangerine-and-42";
  const NAME = ["gh", "p_", "n4m3".repeat(9)].join("");

  beforeAll(async () => {
    process.env.BELAY_TEST_DEPLOY_TOKEN = TANGERINE;
    place = await openPlace();
    const { service, context } = place;
    const first = shapes[2]?.[1].text;
    await service.call(
      "create",
      {
        agent_name: "a",
        session_id: id,
        title: `use ${first}`,
        metadata: { password: "hunter2-meta", [NAME]: NAME },
        project: { cwd: `/srv/${NAME}`, repo: `https://example.org/${NAME}`, branch: NAME },
      },
      ANN,
    );
    await service.call("record_turn", { id, input: all, output: `${all} ${TANGERINE}` }, ANN);
    await service.call(
      "begin_action",
      { id, action_id: "act-1", type: "run", details: { input: { command: all } } },
      ANN,
    );
    await service.call(
      "complete_action",
      {
        id,
        action_id: "act-1",
        status: "completed",
        result: "ok",
        details: { output: JSON.stringify({ all }) },
      },
      ANN,
    );
    await service.call(
      "save_checkpoint",
      { id, name: "c", state: { all, nested: { api_key: "hunter2-state" } } },
      ANN,
    );
    // Names can contain secrets too: of agents, programs, checkpoints, files and folders.
    const agent = { ...ANN, actor: `agent:${NAME}` };
    await service.call("begin_action", { id, action_id: "act-2", type: `run ${NAME}` }, agent);
    await service.call("save_checkpoint", { id, name: `c ${NAME}`, state: {} }, agent);
    const artifact = { id, name: `file ${NAME}`, uri: `https://example.org/${NAME}` };
    await service.call("record_artifact", artifact, agent);
    await recordParts(context, id, NAME, all);
    await service.call("update", { id, error: `failed: ${all}` }, ANN);
  });

  afterAll(async () => {
    delete process.env.BELAY_TEST_DEPLOY_TOKEN;
    await closePlaces();
    await endReceivers();
  });

  const secrets = [
    ...shapes.map(([name, { secret }]) => [name, secret] as const),
    ["environment", TANGERINE] as const,
    ["metadata", "hunter2-meta"] as const,
    ["state", "hunter2-state"] as const,
    ["name", NAME] as const,
  ];
  const left = (text: string) =>
    secrets.flatMap(([name, secret]) => (leaked(text, secret) ? [name] : []));

  it("names tokens and agents whose names are no secrets", () => {
    const redactor = createRedactor([]);
    for (const actor of ["token:deploy-robot", "agent:planner", "person:ann", "bench"]) {
      const told = { actor, trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" };
      expect(redactCaller(redactor, told)).toEqual(told);
    }
    const hidden = redactCaller(redactor, { actor: `token:${NAME}`, trace_id: NAME });
    expect(leaked(JSON.stringify(hidden), NAME)).toBe(false);
  });

  it("control: is exported with all its secrets without redaction", async () => {
    const whole = await exportAll({ redact: false });
    expect(left(JSON.stringify(whole.events))).toEqual(secrets.map(([name]) => name));
  });

  it.each([500, 7])("is exported without secrets, in pages of %i", async (limit) => {
    const { events, hidden, pages } = await exportAll({ redact: true, limit });
    expect(left(JSON.stringify(pages))).toEqual([]);
    // Also after a reader has joined the parts.
    const answer = events.filter(({ type }) => type === "turn.part").map(({ data }) => data.text);
    expect(left(answer.join(""))).toEqual([]);
    expect(answer.join("")).toContain("[redacted:github]");
    expect(hidden.length).toBeGreaterThan(5 * shapes.length);
    expect(events.every(({ hash }) => hash === null)).toBe(true);
  });

  it.each([["--format", "markdown"], ["--format", "ndjson"], ["--preview"]])(
    "is written by belay export --redact %s %s without secrets",
    async (...flags) => {
      const out = await runInProcess(
        place.home,
        ["export", id, "--redact", ...flags.filter(Boolean)],
        false,
      );
      expect(out.code).toBe(0);
      expect(out.stdout.length).toBeGreaterThan(1000);
      expect(left(out.stdout + out.stderr)).toEqual([]);
    },
  );

  it("is written to a new file without secrets, and to no existing file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "belay-export-"));
    const file = join(folder, "a.md");
    const write = () => runInProcess(place.home, ["export", id, "--redact", "--out", file], false);
    expect((await write()).code).toBe(0);
    expect(left(readFileSync(file, "utf8"))).toEqual([]);
    expect((await write()).code).toBe(2);
    rmSync(folder, { recursive: true });
  });

  it("hides a password also without its name", async () => {
    const echo = "echo-session";
    await place.service.call("create", { agent_name: "a", session_id: echo }, ANN);
    const said = "connected as sunflower-field; password=sunflower-field";
    await place.service.call("record_turn", { id: echo, input: said, output: said }, ANN);
    const { events } = await place.service.call("export", { id: echo, redact: true }, ANN);
    expect(JSON.stringify(events)).toContain("connected as [redacted:known]");
    expect(JSON.stringify(events)).not.toContain("sunflower");
  });

  it("is sent to webhooks without secrets if they are redacted", async () => {
    const redacted = await Receiver.start();
    const plain = await Receiver.start();
    const on = ["session.failed"];
    for (const [receiver, redact] of [
      [redacted, true],
      [plain, false],
    ] as const) {
      await place.service.call(
        "add_webhook",
        { url: receiver.url, on, allow_private: true, redact },
        ANN,
      );
    }
    const running = place.send();
    const failed = { id, outcome: "failed", summary: all, error: all };
    await place.service.call("finalize", failed, { ...ANN, actor: `agent:${NAME}` });
    await until(() => redacted.received.length > 0 && plain.received.length > 0);
    await running.stop();
    const textOf = (receiver: Receiver) => JSON.stringify(receiver.received);
    expect(left(textOf(redacted))).toEqual([]);
    expect(left(textOf(plain)).length).toBeGreaterThanOrEqual(shapes.length);
    const { events } = await exportAll({ redact: false });
    const hash = String(events.at(-1)?.hash).slice(0, 40);
    expect(textOf(plain)).toContain(hash);
    expect(textOf(redacted)).not.toContain(hash);
  });

  async function exportAll(options: { redact: boolean; limit?: number }) {
    const pages = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Awaited<ReturnType<typeof one>> = await one(after);
      pages.push(page);
      after = page.next_cursor;
    }
    return {
      pages,
      events: pages.flatMap(({ events }) => events),
      hidden: pages.flatMap(({ hidden }) => hidden),
    };
    function one(after: number) {
      return place.service.call("export", { id, after, ...options }, ANN);
    }
  }
});

/** An answer that is stored in parts of a few characters. */
async function recordParts(
  context: WebhookPlace["context"],
  id: string,
  turn_id: string,
  text: string,
): Promise<void> {
  const session = await context.store.read([
    { ref: { kind: "session", owner: ANN.owner, key: id } },
  ]);
  const stream = session[0]?.stream.id ?? "";
  const holder = { name: "test", pid: process.pid, start_time: null, boot_id: null };
  const lease = await acquireLease(context.store, stream, holder);
  const epoch = lease.granted ? lease.epoch : 0;
  const size = 97;
  const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, n) => ({
    type: "append_part" as const,
    turn_id,
    item: 0,
    kind: "message" as const,
    offset: n * size,
    text: text.slice(n * size, (n + 1) * size),
  }));
  const start = { type: "start_turn" as const, turn_id, content: "go" };
  const end = {
    type: "end_turn" as const,
    turn_id,
    outcome: "completed" as const,
    error: null,
    usage: null,
  };
  await changeSession(context, ANN, { id, epoch, commands: () => [start, ...parts, end] });
  await context.store.lease(stream, { release: epoch });
}

it.each([
  ["only the environment's secrets", "with tangerine-plum-77", 1],
  ["a password that it did not know", "password=correct-horse, with tangerine-plum-77", 2],
])("a text with %s is redacted in as few passes as possible", async (_, text, passes) => {
  let count = 0;
  const shown = await redactTwice({ DEPLOY_TOKEN: "tangerine-plum-77" }, (redactor) => {
    count += 1;
    return redactor.text(text);
  });
  expect(shown).toContain("[redacted:known]");
  expect(count).toBe(passes);
});
