import { isRecord } from "../contract/is-record.ts";
import { findSecrets } from "./find-secrets.ts";
import { isPlaceholder, isSecretName } from "./secret-rules.ts";

/** A hidden secret. */
export interface HiddenSecret {
  /** Its path: names and indexes, such as data.output.text. */
  readonly path: string;
  readonly rule: string;
  readonly length: number;
}

interface TextPiece {
  readonly text: string;
  /** Null for text around the relevant pieces: its secrets are not counted. */
  readonly path: string | null;
}

export interface Redactor {
  /** A text without its secrets. */
  text(text: string): string;
  /** Texts that are pieces of one, cut anywhere: a secret is found across the cuts, and reported where it starts. */
  pieces(pieces: readonly TextPiece[]): string[];
  /** A JSON value without the secrets in its texts and names, and without the values of names like "password". */
  value(value: unknown, path?: string): unknown;
  /** All secrets hidden so far. */
  readonly hidden: readonly HiddenSecret[];
  /** Secrets that were only recognised by their context: they may occur elsewhere without it. */
  readonly learned: ReadonlySet<string>;
}

/** A value nested deeper than this is redacted as text. */
const DEEPEST = 100;

/** Shorter ones would match other words; longer ones, or very many, cost more than they hide. */
const SHORTEST_LEARNED = 8;
const LONGEST_LEARNED = 500;
const MOST_LEARNED = 200;

/** Rules that recognise a secret by the text before it. Other rules find it anywhere. */
const BY_NAME: ReadonlySet<string> = new Set(["named", "password", "secret", "url-password"]);

/** Hides everything that looks like a secret, and the known values. */
export function createRedactor(known: readonly string[]): Redactor {
  const hidden: HiddenSecret[] = [];
  const learned = new Set<string>();

  const hide = (secret: string, rule: string, path: string | null): string => {
    if (BY_NAME.has(rule) && isWorthLearning(secret) && learned.size < MOST_LEARNED) {
      learned.add(secret);
    }
    if (path !== null) hidden.push({ path, rule, length: secret.length });
    return `[redacted:${rule}]`;
  };

  const pieces = (given: readonly TextPiece[]): string[] => {
    const whole = given.map(({ text: piece }) => piece).join("");
    const found = findSecrets(whole, known);
    let start = 0;
    let next = 0;
    return given.map(({ text: piece, path }) => {
      const end = start + piece.length;
      let kept = "";
      let at = start;
      for (let range = found[next]; range && range.start < end; range = found[next]) {
        if (range.start >= start) {
          kept += whole.slice(at, range.start);
          kept += hide(whole.slice(range.start, range.end), range.rule, path);
        }
        at = Math.min(range.end, end);
        if (range.end > end) break;
        next += 1;
      }
      kept += whole.slice(at, end);
      start = end;
      return kept;
    });
  };

  const text = (given: string, path = ""): string => pieces([{ text: given, path }])[0] ?? "";

  const leaves = (given: unknown, path: string): unknown => {
    if (typeof given === "number") return hide(String(given), "named", path);
    if (typeof given === "string") {
      return given === "" || isPlaceholder(given) ? given : hide(given, "named", path);
    }
    if (Array.isArray(given)) return given.map((item, n) => leaves(item, join(path, String(n))));
    return value(given, path);
  };

  const list = (items: readonly unknown[], path: string, depth: number): unknown[] =>
    items.map((item, n) => {
      const option = items[n - 1];
      const isNamed =
        typeof option === "string" && /^--?[\w-]+$/.test(option) && isSecretName(option);
      const place = join(path, String(n));
      return isNamed ? leaves(item, place) : value(item, place, depth + 1);
    });

  const record = (given: Readonly<Record<string, unknown>>, path: string, depth: number) => {
    const name = given.name ?? given.key ?? given.header;
    const isPair = typeof name === "string" && isSecretName(name);
    return Object.fromEntries(
      Object.entries(given).map(([key, inside]) => {
        const shown = text(key, path);
        const place = join(path, shown);
        const isNamed = isSecretName(key) || (isPair && key === "value");
        return [shown, isNamed ? leaves(inside, place) : value(inside, place, depth + 1)];
      }),
    );
  };

  const value = (given: unknown, path = "", depth = 0): unknown => {
    if (typeof given === "string") return text(given, path);
    if (depth > DEEPEST) return text(JSON.stringify(given) ?? "", path);
    if (Array.isArray(given)) return list(given, path, depth);
    return isRecord(given) ? record(given, path, depth) : given;
  };

  return { text, pieces, value, hidden, learned };
}

function isWorthLearning({ length }: string): boolean {
  return length >= SHORTEST_LEARNED && length <= LONGEST_LEARNED;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
