import { spawn } from "node:child_process";
import { createWriteStream, existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../../crash/temporary-folder.ts";
import { openServer, type TestServer } from "../../http/open-server.ts";
import { until } from "../../http/until.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { lines } from "./import-place.ts";
import { CODEX_FILE, codex, codexMeta } from "./samples.ts";
import { watchStalls } from "./watch-stalls.ts";

/** Whatever is uploaded, others are answered, and the memory of the import is bounded. */

const MEGABYTE = 1024 * 1024;
// `npm run test:import` uploads files of the largest allowed size.
const isLong = process.env.BELAY_DAMAGED_FILES !== undefined;
const SIZE = (isLong ? 60 : 20) * MEGABYTE;
/** The longest wait of others while an import runs. */
const BAR_MS = 100;
const MOST_MEMORY = 150 * MEGABYTE;

/** The start of a file, what is repeated up to its size, and the end. */
interface Hostile {
  readonly name: string;
  readonly parts: readonly [start: string, again: string, end: string];
  /** The bound that the report names. */
  readonly why: RegExp | null;
}

const ID = "11111111-aaaa-4bbb-8ccc-0000000000aa";
const TRANSCRIPT = `claude-code/files?name=${ID}.jsonl`;
const ROLLOUT = `codex/files?name=${CODEX_FILE}.zst`;
/** More than a packed file may contain. */
const UNPACKED = 300 * MEGABYTE;
const record = (n: number) =>
  `${JSON.stringify({ type: "user", uuid: `u${n}`, message: { role: "user", content: "x" } })}\n`;
const chat = JSON.stringify({
  uuid: "u",
  chat_messages: [{ uuid: "m", sender: "human", text: "x" }],
});

const call = (n: number) => {
  const content = [{ type: "tool_use", id: `toolu_${n}`, name: "Bash", input: {} }];
  const message = { id: `msg_${n}`, role: "assistant", content };
  return `${JSON.stringify({ type: "assistant", uuid: `a${n}`, message })}\n`;
};

const HOSTILE: Readonly<Record<string, Hostile>> = {
  "open brackets": { name: TRANSCRIPT, parts: ["", "[", ""], why: /longer than 8388608 bytes/ },
  "empty lines": { name: TRANSCRIPT, parts: ["", "\n", ""], why: null },
  "tiny lines": { name: TRANSCRIPT, parts: ["", "{}\n", ""], why: /more than 100000 records/ },
  "many records": {
    name: TRANSCRIPT,
    parts: ["", Array.from({ length: 1000 }, (_, n) => record(n)).join(""), ""],
    why: /more than 100000 records/,
  },
  "calls without results": {
    name: TRANSCRIPT,
    parts: ["", Array.from({ length: 20_000 }, (_, n) => call(n)).join(""), ""],
    why: null,
  },
  "a deep record": {
    name: TRANSCRIPT,
    parts: ['{"type":"user","message":', '{"a":'.repeat(100_000), "\n"],
    why: /longer than 8388608 bytes/,
  },
  "deep records": {
    name: TRANSCRIPT,
    parts: ["", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}\n`, ""],
    why: /nested more than 100 deep/,
  },
  "records of many values": {
    name: TRANSCRIPT,
    parts: ["", `{"a":[${"1,".repeat(1_000_000)}1]}\n`, ""],
    why: /more than 200000 values/,
  },
  "documents of open brackets": {
    name: "chatgpt/files?name=conversations.json",
    parts: ["[", '{"mapping":[', ""],
    why: null,
  },
  "many conversations": {
    name: "claude-ai/files?name=conversations.json",
    parts: ["[", `${chat},`, `${chat}]`],
    why: /more than 20000 conversations/,
  },
  "a document that is too large": {
    name: "chatgpt/files?name=conversations.json",
    parts: ['[{"mapping":{},"title":"', "x", '"}]'],
    why: /longer than 8388608 bytes/,
  },
  "unpacked lines": {
    name: ROLLOUT,
    parts: ["", "\n", ""],
    why: /it has more than 268435456 bytes/,
  },
  "unpacked records": {
    name: ROLLOUT,
    parts: [
      lines([codexMeta()]),
      lines([codex("event_msg", { type: "user_message", message: "x" })]),
      "",
    ],
    why: /more than 100000 records/,
  },
};

/** The others take half a minute of processor time. */
const SAMPLE: ReadonlySet<string> = new Set(["open brackets", "deep records", "unpacked lines"]);
const all = Object.entries(HOSTILE).filter(([what]) => isLong || SAMPLE.has(what));

describe("a server that gets an upload", () => {
  it.each(all)(
    "of %s answers others, and says which limit it exceeds",
    async (_, hostile) => {
      const server = await openServer();
      const file = await fill(hostile);
      const watched = watch();
      const { status, json } = await upload(server, hostile.name, file).answer;
      const { stall, memory } = watched.end();
      expect(status).toBe(200);
      const { damage } = Report.parse(json);
      if (hostile.why) expect(damage.map(({ why }) => why).join("\n")).toMatch(hostile.why);
      expect(stall).toBeLessThan(BAR_MS);
      expect(memory).toBeLessThan(MOST_MEMORY);
    },
    300_000,
  );

  it("imports a large transcript as a whole, and answers others", async () => {
    const server = await openServer();
    const claude = new ClaudeLines(ID);
    const texts: string[] = [];
    for (let turn = 0; turn < 300; turn += 1) {
      claude.user(`please ${turn}`);
      claude.calls(`toolu_${turn}`, "Bash", { command: `cat ${turn}` });
      claude.returns(`toolu_${turn}`, "x".repeat(turn % 100 === 0 ? 961_000 : 16_000));
      claude.says(`done ${turn}`);
      texts.push(lines(claude.records.splice(0)));
    }
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, texts.join(""));
    const watched = watch();
    const { json } = await upload(server, TRANSCRIPT, file).answer;
    const { stall, memory } = watched.end();
    expect(json).toMatchObject({ new_sessions: 1, turns: 300, damaged: 0 });
    expect(stall).toBeLessThan(BAR_MS);
    expect(memory).toBeLessThan(MOST_MEMORY);
  }, 300_000);

  it("ends the work when the sender has gone", async () => {
    const server = await openServer();
    const file = await fill({ name: TRANSCRIPT, parts: ["", "\n", ""], why: null }, 60 * MEGABYTE);
    const { child, answer } = upload(server, TRANSCRIPT, file);
    await until(() => readers().length > 0);
    const [reader] = readers();
    const folder = readlinkSync(`/proc/${reader}/cwd`);
    expect(folder).toContain("belay-upload-");
    child.kill("SIGKILL");
    await answer;
    await until(() => readers().length === 0 && !existsSync(folder), 5000);
    // The same person can import again.
    const small = join(temporaryFolder(), "file");
    writeFileSync(small, "{}\n");
    expect((await upload(server, TRANSCRIPT, small).answer).status).toBe(200);
  }, 60_000);

  it("takes one upload of a person at a time, while others import too", async () => {
    const server = await openServer();
    const claude = new ClaudeLines(ID);
    claude.user("Hello?");
    claude.says("Hello.");
    const body = lines(claude.records);
    const send = async (token: string) => {
      const headers = {
        "content-type": "application/octet-stream",
        authorization: `Bearer ${token}`,
      };
      const url = `${server.url}/imports/${TRANSCRIPT}`;
      const response = await fetch(url, { method: "POST", headers, body });
      return { status: response.status, json: await response.json() };
    };
    const { ann, bob } = server.tokens;
    const sent = Promise.all(Array.from({ length: 20 }, () => send(ann.write)));
    const other = send(bob.write);
    const answers = await sent;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(20);
    for (const { status, json } of refused) {
      expect([status, json]).toMatchObject([409, { error: "limit_reached" }]);
    }
    expect((await other).json).toMatchObject({ new_sessions: 1 });
    expect((await send(ann.write)).json).toMatchObject({ known_sessions: 1 });
  });
});

const Report = z.object({
  damage: z.array(z.object({ file: z.string(), line: z.number().nullable(), why: z.string() })),
});

/** A file of about this size; one for ROLLOUT is packed afterwards. */
async function fill({ name, parts: [start, again, end] }: Hostile, bytes = SIZE): Promise<string> {
  const path = join(temporaryFolder(), "file");
  const isPacked = name === ROLLOUT;
  const block = again.repeat(Math.ceil(MEGABYTE / again.length));
  const size = isPacked ? UNPACKED : bytes;
  function* text() {
    yield start;
    for (let written = 0; written < size; written += block.length) yield block;
    yield end;
  }
  const packer = isPacked ? createZstdCompress() : new PassThrough();
  await pipeline(Readable.from(text()), packer, createWriteStream(path));
  return path;
}

/** Uploads a file in another process, whose work does not count. */
function upload(server: TestServer, name: string, file: string, token = server.tokens.ann.write) {
  const child = spawn(
    process.execPath,
    ["-e", UPLOAD, `${server.url}/imports/${name}`, token, file],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const answer = new Promise<{ status: number; json: unknown }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(Sent.parse(JSON.parse(said || NO_ANSWER))));
  });
  return { child, answer };
}

const Sent = z.object({ status: z.number(), json: z.unknown() });
const NO_ANSWER = '{"status":0,"json":null}';

const UPLOAD = `
  const [url, token, file] = process.argv.slice(1);
  require("node:fs").openAsBlob(file).then(async (body) => {
    const headers = { "content-type": "application/octet-stream", authorization: "Bearer " + token };
    const response = await fetch(url, { method: "POST", headers, body });
    console.log(JSON.stringify({ status: response.status, json: await response.json() }));
  });
`;

/** The longest stall of this process, and the most memory that it and its readers take more than at the start. */
function watch() {
  const before = process.memoryUsage.rss();
  const stalls = watchStalls();
  let memory = 0;
  const timer = setInterval(() => {
    const read = readers().reduce((sum, pid) => sum + memoryOf(pid), 0);
    memory = Math.max(memory, process.memoryUsage.rss() - before + read);
  }, 10);
  return {
    end() {
      clearInterval(timer);
      return { stall: stalls.end(), memory };
    },
  };
}

/** The processes that read an upload now. */
function readers(): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid).includes("read-upload"));
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.split(" ").filter(Boolean).map(Number);
}

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function memoryOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}
