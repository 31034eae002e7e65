import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * An agent that sends exactly the frames of a scenario, so that it can break the protocol where no library would. The
 * scenario is its first argument.
 */
type Answer = (params: Record<string, unknown>, id: number) => unknown;
interface Scenario {
  readonly initialize?: object;
  readonly on?: Readonly<Record<string, Answer>>;
  /** Receives the answers to its own requests. */
  readonly answered?: (message: Record<string, unknown>) => void;
  readonly begin?: () => void;
}

const [, , name = "plain", ...rest] = process.argv;
const MB = 1024 * 1024;
let promptId = 0;

function write(text: string): boolean {
  return process.stdout.write(text);
}
function send(message: object): boolean {
  return write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
function update(update: object, sessionId = "s1"): boolean {
  return send({ method: "session/update", params: { sessionId, update } });
}
function say(text: string, sessionId = "s1"): boolean {
  return update(
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    sessionId,
  );
}
function user(text: string, messageId?: string): boolean {
  return update({
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text },
    messageId,
  });
}
function stop(stopReason = "end_turn", more: object = {}): undefined {
  send({ id: promptId, result: { stopReason, ...more } });
}
function fail(code: number, message: string, data?: unknown): undefined {
  send({ id: promptId, error: { code, message, data } });
}
function askPermission(kinds: readonly string[], id = 900): boolean {
  const options = kinds.map((kind, at) => ({ optionId: `option-${at}`, name: `n${at}`, kind }));
  const toolCall = { toolCallId: "t1", title: "Delete everything", kind: "delete" };
  return send({
    id,
    method: "session/request_permission",
    params: { sessionId: "s1", toolCall, options },
  });
}
function textOf(params: Record<string, unknown>): string {
  return JSON.parse(JSON.stringify(params)).prompt[0].text;
}

const RUNS_FOR_LONG = ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"];

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  plain: {
    on: {
      "session/prompt": (params) => {
        const text = textOf(params);
        if (text === "env") say(JSON.stringify(process.env));
        else if (text === "cwd") say(process.cwd());
        else say(createHash("sha256").update(text).digest("hex"));
        return stop();
      },
    },
  },
  "says-frames": {
    on: {
      "session/prompt": (params) => {
        for (const frame of JSON.parse(textOf(params))) update(frame);
        return stop();
      },
    },
  },
  "repeats-requests": {
    on: {
      "session/load": (params) => {
        say(JSON.stringify(params));
        return {};
      },
      "session/new": (params) => {
        setTimeout(() => say(JSON.stringify(params)), 20);
        return { sessionId: "s1" };
      },
    },
  },
  "mode-is-an-option": {
    on: {
      "session/new": () => ({
        sessionId: "s1",
        configOptions: [
          { id: "model", category: "model", type: "select", currentValue: "m", options: [] },
          {
            id: "approval",
            category: "mode",
            type: "select",
            currentValue: "agent",
            options: [
              { group: "safe", name: "Safe", options: [{ value: "read-only", name: "Read" }] },
              { value: "agent", name: "Agent" },
            ],
          },
        ],
      }),
      "session/set_config_option": (params) => {
        setTimeout(() => say(JSON.stringify(params)), 20);
        return { configOptions: [] };
      },
    },
  },
  "answers-too-much": {
    on: {
      "session/prompt": () => {
        send({ id: promptId, result: { stopReason: "end_turn", _meta: "x".repeat(17 * MB) } });
      },
    },
  },
  "answers-too-much-id-last": {
    on: {
      "session/prompt": () => {
        send({ result: { stopReason: "end_turn", _meta: "x".repeat(17 * MB) }, id: promptId });
      },
    },
  },
  "asks-too-much": {
    on: {
      "session/prompt": () => {
        const params = { sessionId: "s1", filler: "x".repeat(17 * MB) };
        send({ id: 900, method: "session/request_permission", params });
      },
    },
    answered: (message) => {
      say(JSON.stringify(message.error));
      stop();
    },
  },
  "splits-characters": {
    on: {
      "session/prompt": (params) => {
        const frame = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "" } };
        frame.content.text = textOf(params);
        const line = { jsonrpc: "2.0", method: "session/update", params: {} };
        line.params = { sessionId: "s1", update: frame };
        const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
        let at = 0;
        const step = (): void => {
          if (at === bytes.length) return void stop();
          process.stdout.write(bytes.subarray(at, at + 1), () => setImmediate(step));
          at += 1;
        };
        step();
      },
    },
  },
  "talks-of-others": {
    on: {
      "session/prompt": () => {
        say("not yours", "s2");
        say("yours");
        return stop();
      },
    },
  },
  "talks-early": {
    on: {
      "session/new": (_params, id) => {
        say("before");
        say("of another", "s2");
        send({ id, result: { sessionId: "s1" } });
        say("after");
        return undefined;
      },
    },
  },
  "breaks-json-rpc": {
    begin: () => write("Welcome to the agent!\n\n{not json\n[]\n42\n"),
    on: {
      "session/prompt": () => {
        send({ id: 4711, result: {} });
        write('{"jsonrpc":"2.0","result":{}}\n{"jsonrpc":"2.0","id":{},"method":"x"}\n');
        write(`[{"jsonrpc":"2.0","method":"session/update"}]\n{"id":1,"method":"no version"}\n`);
        send({ method: "session/update", params: { update: 7 } });
        send({ method: "session/update" });
        send({ method: "_vendor/news", params: [] });
        write(
          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}}}\n`,
        );
        send({ id: 901, method: "fs/read_text_file", params: {} });
      },
    },
    answered: (message) => {
      say(JSON.stringify(message));
      stop();
      send({ id: promptId, result: { stopReason: "refusal" } });
    },
  },
  "asks-in-a-flood": {
    on: {
      "session/prompt": () => {
        for (let at = 0; at < 500; at += 1) askPermission(["allow_once"], 1000 + at);
        stop();
      },
    },
  },
  asks: {
    on: {
      "session/prompt": (params) => void askPermission(textOf(params).split(" ")),
    },
    answered: (message) => {
      say(JSON.stringify(message.result));
      stop();
    },
  },
  /** The prompt is the request; the answer is what the agent says. */
  offers: {
    on: {
      "session/prompt": (params) => {
        // A message may come with notes before it.
        const text = textOf(params);
        const { announced, ...asked } = JSON.parse(text.slice(text.indexOf('{"toolCall"')));
        if (announced.toolCallId) update({ sessionUpdate: "tool_call", ...announced });
        send({
          id: 900,
          method: "session/request_permission",
          params: { sessionId: "s1", ...asked },
        });
      },
    },
    answered: (message) => {
      say(JSON.stringify(message.result));
      stop();
    },
  },
  "asks-again-when-cancelled": {
    on: {
      "session/prompt": () => void askPermission(["allow_once"]),
    },
    answered: (message) => {
      say(JSON.stringify(message));
      if (message.id === 900) askPermission(["allow_once"], 901);
      else stop("cancelled");
    },
  },
  "fails-in-words": {
    on: {
      "session/prompt": (params) => {
        const [code, message, data] = JSON.parse(textOf(params));
        return fail(code, message, data);
      },
      "session/load": (params, id) => {
        send({ id, error: { code: Number(params.sessionId), message: "no such session" } });
        return undefined;
      },
    },
  },
  "ends-in-words": {
    on: {
      "session/prompt": (params) => {
        say("a word");
        send({ id: promptId, result: JSON.parse(textOf(params)) });
        return undefined;
      },
    },
  },
  "wants-login": {
    initialize: {
      authMethods: [
        { id: "a", name: "Log in", type: "terminal", args: ["login", "--device"] },
        { id: "b", name: "API key", description: "Set SOME_KEY" },
      ],
    },
    on: {
      "session/new": (_params, id) => {
        send({ id, error: { code: -32000, message: "Authentication required" } });
        return undefined;
      },
    },
  },
  "speaks-version-2": { initialize: { protocolVersion: 2 } },
  "dies-at-once": {
    begin: () => {
      process.stderr.write("first line\nno model is configured\n");
      process.exitCode = 3;
      process.stdin.destroy();
    },
  },
  "dies-with-a-last-word": {
    on: {
      "session/prompt": () => {
        for (let at = 0; at < 200; at += 1) say(".");
        say("my last word");
        process.exitCode = 5;
        process.stdin.destroy();
      },
    },
  },
  "shouts-on-stderr": {
    begin: () => process.stderr.write(`${"e".repeat(100)}\n`.repeat(100_000)),
  },
  "stops-reading": {
    begin: () => void setInterval(() => {}, 1000),
    on: {
      "session/new": (_params, id) => {
        send({ id, result: { sessionId: "s1" } });
        process.stdin.pause();
        return undefined;
      },
    },
  },
  "tells-a-secret": {
    on: {
      "session/prompt": () => {
        process.stderr.write(`using ${process.env.SOME_API_KEY}\n`);
        process.exitCode = 1;
        process.stdin.destroy();
      },
    },
  },
  "closes-its-output": {
    on: {
      "session/prompt": () => {
        process.stdout.end();
        process.stdout.destroy();
        setInterval(() => {}, 1000);
      },
    },
  },
  "replays-in-pieces": {
    on: {
      "session/load": (params, id) => {
        user("first ", "m1");
        user("prompt", "m1");
        user("second prompt", "m2");
        say("an old answer");
        user("third prompt");
        send({ id, result: {} });
        setTimeout(() => {
          say("late answer");
          user("late prompt");
        }, 30);
        const quiet = Number(params.sessionId === "s1" ? 0 : 1);
        if (quiet === 0 && rest[0] === "forever") {
          setInterval(() => say("and on"), 20);
        }
        return undefined;
      },
      "session/prompt": () => {
        say("a new answer");
        return stop();
      },
    },
  },
  floods: {
    on: {
      "session/prompt": (params) => {
        const [count, progress] = textOf(params).split(" ");
        let at = 0;
        const step = (): void => {
          while (at < Number(count)) {
            at += 1;
            if (at % 100 === 0) appendFileSync(progress ?? "", ".");
            if (!say(`${at} ${"x".repeat(1000)}`)) return void process.stdout.once("drain", step);
          }
          stop();
        };
        step();
      },
    },
  },
  "leaves-a-tree": {
    begin: () => process.stdin.once("end", () => process.exit(0)),
    on: {
      "session/prompt": () => {
        // It has its own process group and ignores SIGTERM.
        const tool = spawn(process.execPath, RUNS_FOR_LONG, { detached: true, stdio: "ignore" });
        // The shell exits, so its children become children of init.
        spawn("sh", ["-c", "sleep 1000 & sleep 1001 &"], { detached: true, stdio: "ignore" });
        // Only the chain of parents leads to this one.
        spawn("sleep", ["1002"], { detached: true, stdio: "ignore", env: {} });
        tool.once("spawn", () => setTimeout(stop, 50));
      },
    },
  },
  "is-outlived": {
    begin: () => process.stdin.once("end", () => process.exit(0)),
    on: {
      "session/prompt": () => {
        // Neither a parent nor a marker leads to it, and it holds our pipes.
        const stdio = ["ignore", "inherit", "inherit"] as const;
        const shell = spawn("sh", ["-c", "env -i setsid sleep 30 & echo $! >&2"], {
          stdio: [...stdio],
        });
        shell.once("exit", () => stop());
      },
    },
  },
  "records-its-end": {
    initialize: { agentCapabilities: { sessionCapabilities: { close: {} } } },
    begin: () => {
      process.on("SIGTERM", () => appendFileSync(rest[0] ?? "", "SIGTERM\n"));
      process.stdin.on("end", () => appendFileSync(rest[0] ?? "", "stdin end\n"));
      setInterval(() => {}, 1000);
    },
    on: {
      "session/prompt": () => undefined,
      "session/cancel": () => {
        appendFileSync(rest[0] ?? "", "cancel\n");
        stop("cancelled");
      },
      "session/close": () => {
        appendFileSync(rest[0] ?? "", "close\n");
        return {};
      },
    },
  },
};

const DEFAULTS: Readonly<Record<string, Answer>> = {
  "session/new": () => ({ sessionId: "s1" }),
  "session/load": () => ({}),
  "session/resume": () => ({}),
  "session/prompt": () => stop(),
};

const scenario = SCENARIOS[name];
if (!scenario) throw new Error(`no scenario ${name}`);
scenario.begin?.();
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) return scenario.answered?.(message);
  if (message.method === "initialize") {
    const agentCapabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
    const result = { protocolVersion: 1, agentCapabilities, ...scenario.initialize };
    return void send({ id: message.id, result });
  }
  if (message.method === "session/prompt") promptId = message.id;
  const answer = scenario.on?.[message.method] ?? DEFAULTS[message.method];
  const result = answer?.(message.params, message.id);
  if (result !== undefined) send({ id: message.id, result });
});
