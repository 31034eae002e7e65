import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { QUIRKS } from "../../../src/agent/acp/quirks.ts";
import type { AgentUpdate, PermissionAnswer } from "../../../src/agent/agent-connection.ts";
import {
  chooseKind,
  demo,
  Ears,
  failureOf,
  scripted,
  start,
  startOpen,
  waitFor,
} from "./start-agent.ts";

/** Answers when it is told to. */
class SlowEars extends Ears {
  readonly #waiting: ((answer: PermissionAnswer) => void)[] = [];
  override answer = () =>
    new Promise<PermissionAnswer>((resolve) => {
      this.#waiting.push(resolve);
    });
}

describe("a prompt", () => {
  it("resolves after all earlier updates were received in order", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(), ears);
    const end = await connection.prompt("/think hm\n/plan a; b\n/flood 2000\n/usage 11 22 0.5");
    expect(end).toEqual({ stop: "end_turn", usage: { input_tokens: 11, output_tokens: 22 } });
    const numbers = Array.from({ length: 2000 }, (_, at) => `${at + 1} `);
    expect(ears.said()).toBe(numbers.join(""));
    const kinds = new Set(ears.updates.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(["title", "thought", "plan", "message", "usage"]));
  });

  it("reaches the agent unchanged", async () => {
    const ears = new Ears();
    const connection = await startOpen(scripted("plain"), ears);
    const text = "ü\n\u2028\u2029\0🙂 \\n".repeat(100_000);
    await connection.prompt(text);
    expect(ears.said()).toBe(createHash("sha256").update(text).digest("hex"));
  });

  it("reports tool calls with all known fields", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(["--no-in-progress", "--permission-first"]), ears);
    await connection.prompt("/write a.txt hello");
    const last = ears.updates.findLast((update) => update.kind === "tool");
    expect(last?.kind === "tool" && last.call).toMatchObject({
      title: "Write a.txt",
      tool_kind: "edit",
      status: "completed",
      diffs: [{ before: null, after: "hello" }],
    });
    expect(ears.requests[0]?.request.call).toMatchObject({ title: "Write a.txt" });
  });

  it("reports an unknown update as such, and ignores other sessions", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(), ears);
    await connection.prompt("/unknown");
    expect(ears.updates).toContainEqual(
      expect.objectContaining({ kind: "other", name: "weather_report" }),
    );
    const others = new Ears();
    await (await startOpen(scripted("talks-of-others"), others)).prompt("hello");
    expect(others.said()).toBe("yours");
  });

  it.each<[unknown[], string, string]>([
    [
      [-32603, "Internal error", { details: "the quota is used up" }],
      "refused",
      "scripted answered session/prompt with an error: Internal error: the quota is used up (-32603)",
    ],
    [[7, "No", "because"], "refused", "No: because (7)"],
    [[7, "No", { a: 1 }], "refused", 'No: {"a":1} (7)'],
    [[7, "No"], "refused", "No (7)"],
    [[-32000, "Authentication required"], "login_required", "log in"],
  ])("that is answered with the error %j fails as %s", async (error, kind, message) => {
    const connection = await startOpen(scripted("fails-in-words"));
    const failure = await failureOf(connection.prompt(JSON.stringify(error)));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(message);
    expect((await failureOf(connection.prompt(JSON.stringify([1, "again"])))).kind).toBe("refused");
  });

  it.each<[object, object]>([
    [{ stopReason: "max_tokens" }, { stop: "max_tokens", usage: null }],
    [
      { stopReason: "refusal", usage: { inputTokens: 1, outputTokens: 2 } },
      { stop: "refusal", usage: { input_tokens: 1, output_tokens: 2 } },
    ],
    [
      { stopReason: "end_turn", _meta: { quota: { token_count: { input_tokens: 3 } } } },
      { stop: "end_turn", usage: { input_tokens: 3, output_tokens: 0 } },
    ],
  ])("that ends with %j", async (answer, end) => {
    const connection = await startOpen(scripted("ends-in-words"));
    expect(await connection.prompt(JSON.stringify(answer))).toEqual(end);
  });

  it("that ends with an unknown stop reason is a protocol error", async () => {
    const connection = await startOpen(scripted("ends-in-words"));
    expect((await failureOf(connection.prompt('{"stopReason":"bored"}'))).kind).toBe("protocol");
  });

  it("fails with the last stderr lines of an agent that dies, after its updates", async () => {
    let said = "";
    const ears = Object.assign(new Ears(), {
      update: async (update: AgentUpdate) => {
        await sleep(1);
        if (update.kind === "message") said += update.text;
      },
    });
    const connection = await startOpen(scripted("dies-with-a-last-word"), ears);
    const failure = await failureOf(connection.prompt("die"));
    expect([failure.kind, said]).toEqual(["exited", `${".".repeat(200)}my last word`]);
    expect(await connection.exited).toEqual({ code: 5, signal: null, said: "" });
    expect((await failureOf(connection.prompt("are you there?"))).kind).toBe("exited");
    expect((await failureOf(connection.open({ way: "new" }))).kind).toBe("exited");
  });

  it("fails without repeating secrets that the agent printed", async () => {
    const launch = scripted("tells-a-secret");
    const env = { ...launch.env, SOME_API_KEY: "sk-123456789" };
    const connection = await startOpen({ ...launch, env });
    const failure = await failureOf(connection.prompt("hello"));
    expect(failure.message).toContain("using [hidden]");
    expect(connection.transcript().join("\n")).not.toContain("sk-123456789");
  });

  it("fails when the agent is killed", async () => {
    const connection = await startOpen(demo());
    expect((await failureOf(connection.prompt("/crash"))).message).toContain("SIGKILL");
    expect(await connection.exited).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  it("fails if the agent closes its pipes and keeps running", async () => {
    const connection = await startOpen(scripted("closes-its-output"));
    expect((await failureOf(connection.prompt("hello"))).kind).toBe("protocol");
  });

  it("that ends without text has failed, for agents that fail this way", async () => {
    const launch = demo(["--silent-failure"]);
    const quirks = { ...launch.quirks, silent_end_is_failure: true };
    const connection = await startOpen({ ...launch, quirks });
    const failure = await failureOf(connection.prompt("/fail"));
    expect(failure.kind).toBe("refused");
    expect(failure.message).toContain("it ended its turn without an answer");
    expect((await connection.prompt("/say a word\n/fail")).stop).toBe("end_turn");
    const patient = await startOpen(launch);
    expect((await patient.prompt("/fail")).stop).toBe("end_turn");
  });

  it("that ends with a known error text and without usage has failed", async () => {
    const launch = demo(["--wordy-failure"]);
    const { failure_text } = QUIRKS.copilot;
    const connection = await startOpen({ ...launch, quirks: { ...launch.quirks, failure_text } });
    const failure = await failureOf(connection.prompt("/fail"));
    expect(failure.kind).toBe("refused");
    expect(failure.message).toContain("Failed to get response from the AI model");
    // The same words from a model that has answered are its answer.
    const quoted = "/say Failed to get response from the AI model";
    expect(await connection.prompt(quoted)).toMatchObject({ stop: "end_turn" });
    expect(await connection.prompt("/fail Sorry.")).toEqual({ stop: "end_turn", usage: null });
  });

  it.each([
    ["codex", "We’re currently experiencing high demand, which may cause temporary errors."],
    ["codex", "stream disconnected before completion: error sending request"],
    ["copilot", "Error: Failed to get response from the AI model; retried 5 times"],
  ] as const)("of %s that fails is recognized by its text: %s", (name, words) => {
    expect(QUIRKS[name].failure_text.test(words)).toBe(true);
  });

  it("reports the usage of one turn if the agent counts all turns together", async () => {
    const launch = demo(["--total-usage", "--wordy-failure"]);
    const { failure_text } = QUIRKS.copilot;
    const quirks = { ...launch.quirks, usage_is_total: true, failure_text };
    const connection = await startOpen({ ...launch, quirks });
    const use = "/usage 11 22 0.5";
    const usage = { input_tokens: 11, output_tokens: 22 };
    expect(await connection.prompt(use)).toEqual({ stop: "end_turn", usage });
    expect(await connection.prompt(use)).toEqual({ stop: "end_turn", usage });
    expect((await failureOf(connection.prompt("/fail"))).kind).toBe("refused");
    expect(await connection.prompt(use)).toEqual({ stop: "end_turn", usage });
  });

  it("reports usage that the agent sends with its messages", async () => {
    const launch = demo(["--usage-in-updates", "--wordy-failure"]);
    const quirks = { ...launch.quirks, usage_in_updates: true };
    const connection = await startOpen({ ...launch, quirks });
    const usage = { input_tokens: 11, output_tokens: 22 };
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await connection.prompt("/usage 11 22 0.5")).toEqual({ stop: "end_turn", usage });
    }
    expect(await connection.prompt("/fail Sorry.")).toEqual({ stop: "end_turn", usage: null });
  });

  it("needs a session, and only one runs at a time", async () => {
    const connection = await start(demo());
    await expect(connection.prompt("hello")).rejects.toThrow("needs an open session");
    await connection.open({ way: "new" });
    const first = connection.prompt("/slow 200");
    await expect(connection.prompt("hello")).rejects.toThrow("one prompt at a time");
    await first;
  });

  it("is cancelled and fails with its reason when the listener cannot take an update", async () => {
    const taken: AgentUpdate[] = [];
    const ears = Object.assign(new Ears(), {
      update: async (update: AgentUpdate) => {
        taken.push(update);
        if (update.kind === "message") throw new Error("the disk is full");
      },
    });
    const connection = await startOpen(demo(), ears);
    const prompt = connection.prompt("/say one\n/slow 20000\n/say two");
    await expect(prompt).rejects.toThrow("the disk is full");
    expect(taken.filter(({ kind }) => kind === "message")).toHaveLength(1);
  });
});

describe("a permission request", () => {
  it("is answered by an option", async () => {
    const ears = new Ears();
    ears.answer = async (request) => chooseKind(request, "reject_once");
    const connection = await startOpen(demo(), ears);
    await connection.prompt("/ask may I?");
    expect(ears.requests[0]?.request.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
      "reject_always",
    ]);
    expect(ears.said()).toContain("You chose reject_once");
  });

  it("that the listener cannot answer is cancelled", async () => {
    const ears = new Ears();
    ears.answer = () => Promise.reject(new Error("nobody is there"));
    const connection = await startOpen(scripted("asks"), ears);
    await connection.prompt("allow_once");
    expect(JSON.parse(ears.said())).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("that is open is cancelled with the prompt, and so are those that come after", async () => {
    const ears = new SlowEars();
    const connection = await startOpen(scripted("asks-again-when-cancelled"), ears);
    const prompt = connection.prompt("go");
    await waitFor(() => ears.requests.length === 1, "the request");
    expect(ears.requests[0]?.signal.aborted).toBe(false);
    await connection.cancel();
    expect((await prompt).stop).toBe("cancelled");
    expect(ears.requests).toHaveLength(1);
    expect(ears.requests[0]?.signal.aborted).toBe(true);
    const cancelled = { result: { outcome: { outcome: "cancelled" } } };
    const answers = ears.updates.flatMap((update) =>
      update.kind === "message" ? JSON.parse(update.text) : [],
    );
    expect(answers).toMatchObject([
      { id: 900, ...cancelled },
      { id: 901, ...cancelled },
    ]);
  });

  it("is dropped if it is open when the process ends", async () => {
    const ears = new SlowEars();
    const connection = await startOpen(scripted("asks"), ears);
    const prompt = failureOf(connection.prompt("allow_once"));
    await waitFor(() => ears.requests.length === 1, "the request");
    process.kill(connection.process.pid, "SIGKILL");
    expect((await prompt).kind).toBe("exited");
    expect(ears.requests[0]?.signal.aborted).toBe(true);
  });

  it("is dropped if it is open when the connection ends", async () => {
    const ears = new SlowEars();
    const connection = await startOpen(demo(), ears);
    const prompt = connection.prompt("/run echo hi").then(({ stop }) => stop);
    await waitFor(() => ears.requests.length === 1, "the request");
    await connection.end();
    expect(ears.requests[0]?.signal.aborted).toBe(true);
    expect(await prompt).toBe("cancelled");
  });
});

describe("a cancel", () => {
  it("stops the prompt, and the next one works", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(), ears);
    const prompt = connection.prompt("/say begin\n/slow 20000");
    await waitFor(() => ears.said() !== "", "the first word");
    await connection.cancel();
    expect((await prompt).stop).toBe("cancelled");
    expect((await connection.prompt("/say again")).stop).toBe("end_turn");
  });

  it("does nothing if no prompt runs", async () => {
    const connection = await startOpen(demo());
    await connection.cancel();
    expect(connection.transcript().some((line) => line.includes("session/cancel"))).toBe(false);
  });
});
