import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readMessage } from "../../src/doors/cli/read-message.ts";
import { until } from "../run/run-lab.ts";

function pipe(note_ms: number, limit_ms: number) {
  const input = new PassThrough();
  const noted: string[] = [];
  const note = (text: string) => void noted.push(text);
  return { input, noted, message: readMessage({ input, note }, { note_ms, limit_ms }) };
}

describe("a message from a pipe", () => {
  it("is read until the pipe ends, even if it is slow; a note says that Belay waits for input", async () => {
    const { input, noted, message } = pipe(1, 60_000);
    await until("the note", () => noted.length > 0);
    input.write("two\n");
    input.end("lines\n");
    expect(await message).toBe("two\nlines");
    expect(noted).toEqual(["Reading the message from standard input until it ends."]);
  });

  it.each([["nothing"], ["something"]])(
    "is refused if the pipe contains %s and stays open",
    async (held) => {
      const { input, message } = pipe(60_000, 20);
      if (held === "something") input.write("half a");
      await expect(message).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining("belay send ID MESSAGE"),
      });
      expect(input.isPaused()).toBe(true);
    },
  );
});
