import { readFileSync } from "node:fs";
import { Transform } from "node:stream";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../crash/seeded-random.ts";
import { mutate, seedsOf } from "./mutate.ts";
import { createTargets, type FuzzTarget, PARSERS, TARGETS, type TargetName } from "./targets.ts";

/** A fixed part of `npm run fuzz`: the whole corpus, and some mutated inputs. */
const INPUTS = 200;

describe.each([...Object.entries<FuzzTarget>(TARGETS)])("%s", (name, target) => {
  it("keeps its promises with any input", async () => {
    const seeds = seedsOf(name);
    expect(seeds.length).toBeGreaterThan(0);
    const random = seededRandom(20_261_115);
    const inputs = [...seeds, ...Array.from({ length: INPUTS }, () => mutate(seeds, random))];
    for (const input of inputs) await target(input, random(input.length + 1));
  });
});

/** The real parsers, one of them with a planted fault of a typical kind. */
const PLANTED: readonly [string, TargetName, Partial<typeof PARSERS>][] = [
  [
    "passes an escape that there is not",
    "json",
    {
      scanJson: (text) => {
        const fault = PARSERS.scanJson(text);
        return fault?.message.includes("escape") ? null : fault;
      },
    },
  ],
  [
    "lets the error of JSON.parse out",
    "hook",
    { parsePayload: (text) => PARSERS.parsePayload(JSON.stringify(JSON.parse(text))) },
  ],
  [
    "tears a character where the output of an agent is cut",
    "acp",
    {
      splitLines: (longest) => {
        const lines = PARSERS.splitLines(longest);
        return { push: (chunk) => lines.push(decoded(chunk)), rest: () => lines.rest() };
      },
    },
  ],
  [
    "tears a character where the input of MCP is cut",
    "mcp",
    {
      limitLines: (onTooLong) => {
        const lines = PARSERS.limitLines(onTooLong);
        const torn = new Transform({
          transform: (chunk: Buffer, _encoding, done) =>
            void lines.write(decoded(chunk), () => done()),
          flush: (done) => void lines.end(done),
        });
        lines.on("data", (bytes) => torn.push(bytes));
        return torn;
      },
    },
  ],
  [
    "tears a character where a stream is cut",
    "sse",
    {
      readSse: (stream) =>
        PARSERS.readSse(
          stream.pipeThrough(
            new TransformStream({
              transform: (chunk, next) => next.enqueue(decoded(chunk)),
            }),
          ),
        ),
    },
  ],
  [
    "takes every message for JSON",
    "websocket",
    {
      openSocket: async (socket, head) => {
        const real = await PARSERS.openSocket(socket, head);
        return {
          close: (code, reason) => real.close(code, reason),
          async *messages() {
            for await (const message of real.messages()) {
              JSON.parse(String(message));
              yield message;
            }
          },
        };
      },
    },
  ],
  [
    "takes every line of a transcript for a record",
    "readers",
    {
      readConversations: (tool, path, report) => {
        for (const line of readFileSync(path, "utf8").split("\n")) if (line) JSON.parse(line);
        return PARSERS.readConversations(tool, path, report);
      },
    },
  ],
  [
    "lets the error of a damaged file out",
    "importers",
    {
      readStateFile: (path) => {
        JSON.parse(readFileSync(path, "utf8"));
        return PARSERS.readStateFile(path);
      },
    },
  ],
];

/** As text and back: half a character becomes another one. */
function decoded(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes).toString());
}

describe("a planted fault", () => {
  it("exists for every target", () => {
    expect(PLANTED.map(([, name]) => name).toSorted()).toEqual(Object.keys(TARGETS).toSorted());
  });

  it.each(PLANTED)("is found soon: %s", async (_, name, faulty) => {
    const target = createTargets({ ...PARSERS, ...faulty })[name];
    const seeds = seedsOf(name);
    const random = seededRandom(20_261_116);
    const find = async () => {
      for (let n = 0; n < 2000; n += 1) {
        const input = mutate(seeds, random);
        try {
          await target(input, random(input.length + 1));
        } catch {
          return n;
        }
      }
      return null;
    };
    expect(await find()).not.toBeNull();
  });
});
