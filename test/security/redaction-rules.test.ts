import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { cutText } from "../../src/core/text-size.ts";
import { environmentSecrets } from "../../src/redaction/environment-secrets.ts";
import { HeldText } from "../../src/redaction/held-text.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { redactTwice } from "../../src/service/redact/redact-twice.ts";
import { cpuTimeOf } from "../cpu-time.ts";
import { leaked } from "./leaked.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** The rules find every secret, in whatever form it was written, and leave ordinary text alone. */

const shapes = Object.entries(SECRET_SHAPES);

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
    const said = `tangerine-42 tangerine%2D42 ${base64} in /home/ann, /a/b`;
    const shown = redactor.text(said);
    expect(shown).not.toMatch(/tangerin|dGFuZ2/);
    expect(shown).toContain("in /home/ann, /a/b");
    expect(redactor.hidden.length).toBe(3);
  });

  it("contains a part of a known value, unless Belay has cut it there", () => {
    const redactor = createRedactor(["tangerine-42"]);
    for (const most of [LIMITS.FIRST_TITLE, LIMITS.TITLE, LIMITS.SUMMARY]) {
      for (let part = 6; part < 12; part += 1) {
        const start = "tangerine-42".slice(0, part);
        const words = "wörds".padEnd(most - 4 - part, "-");
        const cut = cutText(`${words}${start}-and-more`, most);
        expect([cut, redactor.text(cut)]).toEqual([
          `${words}${start}…`,
          `${words}[redacted:known]…`,
        ]);
        for (const text of [
          `${words}${start}`,
          `${start}…`,
          `--------${cut}`,
          `${words.slice(8)}${start}…`,
        ]) {
          expect(redactor.text(text)).toBe(text);
        }
      }
    }
  });
});

it("a text in pieces contains no part of a long known value, wherever it is cut", () => {
  const secret = Array.from({ length: 900 }, (_, n) => `part ${n} of it`).join("\n");
  const text = `${"words\n".repeat(2000)}${secret}\n${"more\n".repeat(4000)}`;
  for (const size of [1000, 4001, 9000]) {
    const held = new HeldText([secret]);
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += held.add(text.slice(at, at + size));
    shown += held.end();
    expect(shown).toBe(text.replace(secret, "[redacted:known]"));
  }
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
