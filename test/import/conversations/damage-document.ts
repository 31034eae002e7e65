import { seededRandom } from "../../crash/seeded-random.ts";
import type { DamagedFile } from "./damage-lines.ts";

/** A range of a document: a part with content, or the text around parts. */
export interface Piece {
  readonly text: string;
  readonly part: number | null;
}

type Random = (bound: number) => number;
type Damage = (pieces: readonly Piece[], random: Random) => { bytes: Buffer; lost: number[] };

/** Not the first part, because it identifies the document for some tools. */
function pickPart(pieces: readonly Piece[], random: Random): number {
  const parts = pieces.flatMap(({ part }, at) => (part === null || part === 0 ? [] : [at]));
  return parts[random(parts.length)] ?? 0;
}

/** Changes the text of one part, which is lost with it. */
function spoil(change: (text: string, random: Random) => string): Damage {
  return (pieces, random) => {
    const at = pickPart(pieces, random);
    const changed = pieces.map(({ text }, nth) => (nth === at ? change(text, random) : text));
    return { bytes: Buffer.from(changed.join("")), lost: [pieces[at]?.part ?? -1] };
  };
}

/** Inserts something between two pieces, which loses nothing. */
function put(what: Buffer): Damage {
  return (pieces, random) => {
    const at = pickPart(pieces, random);
    const bytes = pieces.flatMap(({ text }, nth) => [
      ...(nth === at ? [what] : []),
      Buffer.from(text),
    ]);
    return { bytes: Buffer.concat(bytes), lost: [] };
  };
}

const DAMAGES: Readonly<Record<string, Damage>> = {
  "a torn tail": (pieces, random) => {
    const at = pickPart(pieces, random);
    const before = pieces.slice(0, at);
    const text = pieces[at]?.text ?? "";
    const torn = text.slice(0, 1 + random(text.length - 1));
    const kept = new Set(before.map(({ part }) => part));
    return {
      bytes: Buffer.from(before.map((piece) => piece.text).join("") + torn),
      lost: pieces.flatMap(({ part }) => (part === null || kept.has(part) ? [] : [part])),
    };
  },
  "a part without its end": spoil((text, random) =>
    text.slice(0, text.length - 1 - random(text.length / 2)),
  ),
  "a part without its start": spoil((text, random) => text.slice(1 + random(text.length / 2))),
  "a hole in a part": spoil((text, random) => {
    const from = 1 + random(text.length / 2);
    return text.slice(0, from) + text.slice(from + 1 + random(12)).slice(0, -1);
  }),
  "a quote too many": spoil((text) => text.replace("says", 'sa"ys')),
  "a quote too few": spoil((text) => text.replace('"id', "id").replace('"source', "source")),
  "a run of NUL": put(Buffer.alloc(500)),
  "a part of another encoding": put(Buffer.from('{"x":"gr\u00fc\u00dfe"},', "latin1")),
  "a brace too many": put(Buffer.from("}")),
  "a byte order mark": (pieces) => ({
    bytes: Buffer.from(`\ufeff${pieces.map(({ text }) => text).join("")}`),
    lost: [],
  }),
};

/** The same damage for the same seed. */
export function damageDocument(pieces: readonly Piece[], seed: number): DamagedFile {
  const kinds = Object.keys(DAMAGES);
  const kind = kinds[seed % kinds.length] ?? "";
  const random = seededRandom(seed);
  const { bytes, lost } = DAMAGES[kind]?.(pieces, (bound) =>
    random(Math.max(1, Math.floor(bound))),
  ) ?? {
    bytes: Buffer.alloc(0),
    lost: [],
  };
  const parts = pieces.flatMap(({ part }) => part ?? []);
  return { kind, content: bytes, intact: parts.filter((part) => !lost.includes(part)) };
}
