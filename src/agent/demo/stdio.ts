import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk/unstable";

/** The protocol on stdin and stdout. */
export function openStdio(options: { noise: boolean; ignoreEnd: boolean }): Stream {
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      process.stdin.on("data", (bytes: Buffer) => controller.enqueue(bytes));
      // A connection that never sees the end continues.
      if (!options.ignoreEnd) process.stdin.once("end", () => controller.close());
    },
  });
  let frames = 1;
  if (options.noise) void printNoise(BANNERS[0]);
  const output = new WritableStream<Uint8Array>({
    async write(frame) {
      if (options.noise) await printNoise(BANNERS[frames % BANNERS.length] ?? "");
      frames += 1;
      await write(frame);
    },
  });
  // A client that no longer reads must not crash the program; it exits when stdin ends.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return ndJsonStream(output, input);
}

/** A line that is not a frame. */
export async function printNoise(text: string): Promise<void> {
  await write(`${text}\n`);
}

const BANNERS = [
  "Demo agent, warming up ...",
  "(node:4711) ExperimentalWarning: noise is an experimental feature",
  '{"level":"info","msg":"a log line that is JSON but no frame"}',
  "",
  "[==========>         ] 50%",
] as const;

/** Each frame and each line is one write, so they cannot be mixed. */
function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(data, () => resolve());
  });
}
