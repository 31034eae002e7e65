/** A damaged file of records, and the intact records. */
export interface DamagedFile {
  readonly kind: string;
  readonly content: Buffer;
  readonly intact: readonly number[];
}

type Damage = (lines: Buffer[], random: () => number) => { parts: Buffer[]; lost: Set<number> };

const NEWLINE = Buffer.from("\n");

const DAMAGES: Readonly<Record<string, Damage>> = {
  "a torn tail": (lines, random) => {
    const last = lines.at(-1) ?? NEWLINE;
    const cut = 1 + Math.floor(random() * (last.length - 2));
    return {
      parts: [...ended(lines.slice(0, -1)), last.subarray(0, cut)],
      lost: set(lines.length - 1),
    };
  },
  "records run together": (lines, random) => {
    const at = pick(lines.length - 1, random);
    const parts = ended(lines);
    parts[at] = lines[at] ?? NEWLINE;
    return { parts, lost: set() };
  },
  "a run of NUL": (lines, random) => {
    const at = pick(lines.length, random);
    const parts = ended(lines);
    parts.splice(at, 0, Buffer.alloc(1 + Math.floor(random() * 5000)));
    return { parts, lost: set() };
  },
  "no newline at the end": (lines) => {
    const parts = ended(lines);
    parts[parts.length - 1] = lines.at(-1) ?? NEWLINE;
    return { parts, lost: set() };
  },
  "a torn record in the middle": (lines, random) => {
    const at = pick(lines.length - 1, random);
    const parts = ended(lines);
    const line = lines[at] ?? NEWLINE;
    parts[at] = Buffer.concat([
      line.subarray(0, 1 + Math.floor(random() * (line.length - 2))),
      NEWLINE,
    ]);
    return { parts, lost: set(at) };
  },
  "lines that are no records": (lines, random) => {
    const parts = ended(lines);
    const junk = [
      "",
      "null",
      "[]",
      '"text"',
      "%PDF-1.4",
      '{"type":"never-heard-of","uuid":"x-1"}',
      "{",
    ];
    for (const each of junk) parts.splice(pick(parts.length, random), 0, Buffer.from(`${each}\n`));
    return { parts, lost: set() };
  },
  "another encoding in one line": (lines, random) => {
    const parts = ended(lines);
    parts.splice(
      pick(parts.length, random),
      0,
      Buffer.from('{"type":"note","text":"gr\u00fc\u00dfe"}\n', "latin1"),
    );
    return { parts, lost: set() };
  },
  "a byte order mark and carriage returns": (lines) => ({
    parts: [
      Buffer.from("\ufeff"),
      ...lines.map((line) => Buffer.concat([line, Buffer.from("\r\n")])),
    ],
    lost: set(),
  }),
  "a gap": (lines, random) => {
    const from = pick(lines.length - 2, random);
    const many = 1 + Math.floor(random() * 2);
    const lost = new Set(Array.from({ length: many }, (_, n) => from + n));
    return { parts: ended(lines).filter((_, at) => !lost.has(at)), lost };
  },
  "a torn record that runs into the next": (lines, random) => {
    const at = pick(lines.length - 2, random);
    const parts = ended(lines);
    const line = lines[at] ?? NEWLINE;
    parts[at] = line.subarray(0, Math.floor(line.length / 2));
    // The next one comes after half a record: only a reader that searches the line finds it.
    return { parts, lost: set(at, at + 1) };
  },
};

/** The same damage for the same seed. The first record, which identifies the file, stays intact. */
export function damageLines(records: readonly unknown[], seed: number): DamagedFile {
  const random = randomFrom(seed);
  const kinds = Object.keys(DAMAGES);
  const kind = kinds[seed % kinds.length] ?? "";
  const lines = records.map((record) => Buffer.from(JSON.stringify(record)));
  const { parts, lost } = DAMAGES[kind]?.(lines, random) ?? { parts: ended(lines), lost: set() };
  const intact = records.map((_, at) => at).filter((at) => !lost.has(at));
  return { kind, content: Buffer.concat(parts), intact };
}

function ended(lines: readonly Buffer[]): Buffer[] {
  return lines.map((line) => Buffer.concat([line, NEWLINE]));
}

function set(...at: number[]): Set<number> {
  return new Set(at);
}

/** Never the first. */
function pick(length: number, random: () => number): number {
  return 1 + Math.floor(random() * (length - 1));
}

function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
