import { describe, expect, it } from "vitest";
import { Secrets } from "../../../src/agent/acp/secrets.ts";
import { TailText } from "../../../src/agent/acp/tail-text.ts";
import { Transcript } from "../../../src/agent/acp/transcript.ts";

const none = new Secrets({ env: {}, mcp_servers: [] });

describe("a transcript", () => {
  it("keeps the last frames, each shortened, within a total limit", () => {
    const transcript = new Transcript(none);
    for (let at = 0; at < 1000; at += 1) {
      transcript.add("<-", Buffer.from(`${at} ${"x".repeat(10_000)}`));
    }
    const frames = transcript.read("");
    expect(frames.at(-1)).toMatch(/^<- 999 x+… \(\d+ bytes\)$/);
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(2100);
    expect(frames.join("").length).toBeLessThanOrEqual(128 * 1024);
    const small = new Transcript(none);
    for (let at = 0; at < 1000; at += 1) small.add("->", Buffer.from(`${at}`));
    expect(small.read("")).toHaveLength(200);
  });

  it("hides secrets, also if a frame is shortened inside one", () => {
    const env = { SOME_API_KEY: "sk-abcdefgh", PATH: "/usr/bin" };
    const transcript = new Transcript(new Secrets({ env, mcp_servers: [] }));
    transcript.add("<-", Buffer.from(`/usr/bin sk-abcdefgh ${"x".repeat(2020)}sk-abcdefgh`));
    transcript.add("<-", Buffer.from(`${"x".repeat(2042)}sk-abcdefgh`));
    const all = transcript.read("the key is sk-abcdefgh").join("\n");
    expect(all).toContain("/usr/bin");
    expect(all).not.toContain("sk-abc");
    expect(all).toContain("stderr: the key is [hidden]");
  });
});

describe("the tail of a text", () => {
  it("is its last bytes, without half characters", () => {
    const tail = new TailText(10);
    for (let at = 0; at < 1000; at += 1) tail.add(Buffer.from("üx"));
    expect(tail.read()).toBe("xüxüxüx");
    tail.add(Buffer.from("0123456789abcdef\n"));
    expect(tail.read()).toBe("789abcdef");
  });

  it("gives the last lines", () => {
    const tail = new TailText(1000);
    tail.add(Buffer.from("one\ntwo\nthree\n"));
    expect(tail.lastLines(2, 100)).toBe("two\nthree");
    expect(tail.lastLines(2, 4)).toBe("hree");
  });
});
