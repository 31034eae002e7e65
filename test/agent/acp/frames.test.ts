import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { AgentUpdate } from "../../../src/agent/agent-connection.ts";
import { demo, Ears, failureOf, folder, scripted, startOpen, waitFor } from "./start-agent.ts";

const run = promisify(execFile);

describe("frames", () => {
  it("that are not JSON-RPC are skipped, and the turn continues", async () => {
    const ears = new Ears();
    const connection = await startOpen(scripted("breaks-json-rpc"), ears);
    expect((await connection.prompt("go")).stop).toBe("end_turn");
    expect(JSON.parse(ears.said())).toMatchObject({ id: 901, error: { code: -32601 } });
    const noise = connection.transcript().filter((line) => line.startsWith("?? "));
    expect(noise).toContain("?? Welcome to the agent!");
    expect(noise).toContain("?? an answer that nothing asked for");
  });

  it("print nothing on our own console", async () => {
    const program = fileURLToPath(new URL("./prompt-once.ts", import.meta.url));
    const launch = scripted("breaks-json-rpc");
    const { stdout, stderr } = await run(launch.command, [program, JSON.stringify(launch)]);
    expect({ stdout, stderr }).toEqual({ stdout: "end_turn\n", stderr: "" });
  });

  it("are decoded correctly if a chunk ends inside a character", async () => {
    const ears = new Ears();
    const connection = await startOpen(scripted("splits-characters"), ears);
    await connection.prompt("ü€🙂 ende");
    expect(ears.said()).toBe("ü€🙂 ende");
  });

  it("of a flood of requests are answered without storing them all", async () => {
    const ears = new Ears();
    ears.answer = () => new Promise(() => {});
    const connection = await startOpen(scripted("asks-in-a-flood"), ears);
    await connection.prompt("go");
    expect(ears.requests.length).toBeLessThanOrEqual(64);
  });
});

describe("a line that is too large", () => {
  it("is reported as an unknown update, and the turn continues", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(), ears);
    expect((await connection.prompt("/huge 17\n/say after")).stop).toBe("end_turn");
    expect(ears.said()).toContain("after");
    expect(ears.updates).toContainEqual({
      kind: "other",
      name: "oversized",
      excerpt: expect.stringMatching(/^a line of 178\d{5} bytes was too large to read$/),
    });
    expect(connection.transcript().join("\n")).toContain("bytes was dropped");
  });

  it("is delivered if it is within the limit", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(), ears);
    await connection.prompt("/huge 15");
    expect(ears.said()).toHaveLength(15 * 1024 * 1024);
    expect(connection.transcript().join("").length).toBeLessThan(10_000);
  });

  it.each(["answers-too-much", "answers-too-much-id-last"])(
    "fails the request that it should answer (%s)",
    async (scenario) => {
      const connection = await startOpen(scripted(scenario));
      const failure = await failureOf(connection.prompt("go"));
      expect(failure.kind).toBe("protocol");
      expect(failure.message).toContain("17 MB");
    },
  );

  it("is refused if it is a request", async () => {
    const ears = new Ears();
    const connection = await startOpen(scripted("asks-too-much"), ears);
    await connection.prompt("go");
    expect(ears.said()).toContain("the request is too large");
    expect(ears.requests).toEqual([]);
  });
});

describe("a listener that is slow", () => {
  it("makes a flooding agent wait, and gets everything in order", async () => {
    const progress = join(folder(), "progress");
    const sent = () => (existsSync(progress) ? statSync(progress).size * 100 : 0);
    const heard: string[] = [];
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const ears = Object.assign(new Ears(), {
      update: (update: AgentUpdate) => {
        if (update.kind === "message") heard.push(update.text.split(" ")[0] ?? "");
        return gate;
      },
    });
    const connection = await startOpen(scripted("floods"), ears);
    const prompt = connection.prompt(`5000 ${progress}`);
    await waitFor(() => heard.length > 0 && sent() > 0, "the flood");
    for (let before = -1; before !== sent(); await sleep(200)) before = sent();
    expect(sent()).toBeLessThan(1_000);
    expect(heard).toEqual(["1"]);
    open();
    await prompt;
    expect(heard).toEqual(Array.from({ length: 5000 }, (_, at) => `${at + 1}`));
  });
});
