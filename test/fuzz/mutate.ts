import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Random = (bound: number) => number;

export const CORPUS = fileURLToPath(new URL("./corpus/", import.meta.url));

/** The initial inputs of a target: those of the corpus that are named after it. */
export function seedsOf(target: string): Buffer[] {
  return readdirSync(CORPUS)
    .filter((name) => name.startsWith(`${target}-`))
    .sort()
    .map((name) => readFileSync(`${CORPUS}${name}`));
}

/** Pieces that parsers have failed on. */
const TOKENS = [
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  "\\u",
  "\\ud800",
  "\n",
  "\r\n",
  "\n\n",
  "\0",
  "-",
  "1e999",
  "0",
  "null",
  '"__proto__":',
  '"id":',
  ":",
  ",",
  "data:",
  "\u{1f600}",
  "\u2028",
].map((token) => Buffer.from(token));

/** A random variation of these inputs. */
export function mutate(seeds: readonly Buffer[], random: Random): Buffer {
  let bytes = pick(seeds, random) ?? Buffer.alloc(0);
  for (let changes = 1 + random(6); changes > 0; changes -= 1) bytes = change(bytes, seeds, random);
  return bytes.subarray(0, 64 * 1024);
}

function change(bytes: Buffer, seeds: readonly Buffer[], random: Random): Buffer {
  const at = random(bytes.length + 1);
  const to = Math.min(bytes.length, at + random(16));
  const before = bytes.subarray(0, at);
  switch (random(7)) {
    case 0:
      return Buffer.concat([before, bytes.subarray(to)]);
    case 1:
      return Buffer.concat([before, pick(TOKENS, random) ?? before, bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, Buffer.from([random(256)]), bytes.subarray(at + 1)]);
    case 3:
      return before;
    case 4: {
      const other = pick(seeds, random) ?? bytes;
      return Buffer.concat([before, other.subarray(random(other.length + 1))]);
    }
    case 5: {
      const repeated = Array.from({ length: 1 + random(200) }, () => bytes.subarray(at, to));
      return Buffer.concat([before, ...repeated, bytes.subarray(to)]);
    }
    default: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random(8));
      return copy;
    }
  }
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[random(items.length)];
}
