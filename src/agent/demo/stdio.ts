import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk/unstable";

/** The protocol on stdin and stdout. */
export function openStdio(options: { noise: boolean; ignoreEnd: boolean }): Stream {
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      process.stdin.on("data", (bytes: Buffer) => controller.enqueue(bytes));
      // A connection that is never told of the end just goes on.
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
  // A client that no longer listens is no reason to crash; where stdin ends as well, so does the program.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return ndJsonStream(output, input);
}

/** A line that is no frame. */
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

/** Each frame and each line is one write, so they cannot tear each other apart. */
function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(data, () => resolve());
  });
}
