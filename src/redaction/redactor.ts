import { isRecord } from "../contract/is-record.ts";
import { findSecrets } from "./find-secrets.ts";
import { isPlaceholder, isSecretName, type SecretRange } from "./secret-rules.ts";
import { finish, type Steps } from "./steps.ts";

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
  /** The same in steps, for large ones. */
  piecesInSteps(pieces: readonly TextPiece[]): Steps<string[]>;
  valueInSteps(value: unknown, path?: string): Steps<unknown>;
  /** All secrets hidden so far. */
  readonly hidden: readonly HiddenSecret[];
  /** The known values that were found, and secrets that were recognized by their context and may occur elsewhere. */
  readonly learned: ReadonlySet<string>;
}

/** A value nested deeper than this is redacted as text. */
const DEEPEST = 100;

/** Shorter ones would match other words; longer ones, or very many, cost more than they hide. */
const SHORTEST_LEARNED = 8;
const LONGEST_LEARNED = 500;
const MOST_LEARNED = 200;

/** Rules that recognize a secret by the text before it. Other rules find it anywhere. */
const BY_NAME: ReadonlySet<string> = new Set(["named", "password", "secret", "url-password"]);

/** Hides everything that looks like a secret, and the known values. Several redactors can share what they learn. */
export function createRedactor(known: readonly string[], learned = new Set<string>()): Redactor {
  const hidden: HiddenSecret[] = [];

  const hide = (secret: string, rule: string, path: string | null, isCode = false): string => {
    const value = secret.replace(END_OF_SENTENCE, "");
    if (BY_NAME.has(rule) && !isCode && isWorthLearning(value) && learned.size < MOST_LEARNED) {
      learned.add(value);
    }
    if (path !== null) hidden.push({ path, rule, length: secret.length });
    return `[redacted:${rule}]`;
  };

  function* pieces(given: readonly TextPiece[]): Steps<string[]> {
    const whole = given.map(({ text: piece }) => piece).join("");
    const found = yield* findSecrets(whole, known, learned);
    let start = 0;
    let next = 0;
    return given.map(({ text: piece, path }) => {
      const end = start + piece.length;
      let kept = "";
      let at = start;
      for (let range = found[next]; range && range.start < end; range = found[next]) {
        if (range.start >= start) {
          kept += whole.slice(at, range.start);
          const isCode = isCodeName(whole, range);
          kept += hide(whole.slice(range.start, range.end), range.rule, path, isCode);
        }
        at = Math.min(range.end, end);
        if (range.end > end) break;
        next += 1;
      }
      kept += whole.slice(at, end);
      start = end;
      return kept;
    });
  }

  function* text(given: string, path = ""): Steps<string> {
    return (yield* pieces([{ text: given, path }]))[0] ?? "";
  }

  function* leaves(given: unknown, path: string): Steps<unknown> {
    if (typeof given === "number") return hide(String(given), "named", path);
    if (typeof given === "string") {
      return given === "" || isPlaceholder(given) ? given : hide(given, "named", path);
    }
    if (!Array.isArray(given)) return yield* value(given, path);
    const kept: unknown[] = [];
    for (const [n, item] of given.entries()) kept.push(yield* leaves(item, join(path, String(n))));
    return kept;
  }

  function* list(items: readonly unknown[], path: string, depth: number): Steps<unknown[]> {
    const kept: unknown[] = [];
    for (const [n, item] of items.entries()) {
      const option = items[n - 1];
      const isNamed =
        typeof option === "string" && /^--?[\w-]+$/.test(option) && isSecretName(option);
      const place = join(path, String(n));
      kept.push(yield* isNamed ? leaves(item, place) : value(item, place, depth + 1));
    }
    return kept;
  }

  function* record(
    given: Readonly<Record<string, unknown>>,
    path: string,
    depth: number,
  ): Steps<Record<string, unknown>> {
    const name = given.name ?? given.key ?? given.header;
    const isPair = typeof name === "string" && isSecretName(name);
    const kept: [string, unknown][] = [];
    for (const [key, inside] of Object.entries(given)) {
      const shown = yield* text(key, path);
      const place = join(path, shown);
      const isNamed = isSecretName(key) || (isPair && key === "value");
      kept.push([shown, yield* isNamed ? leaves(inside, place) : value(inside, place, depth + 1)]);
    }
    return Object.fromEntries(kept);
  }

  function* value(given: unknown, path = "", depth = 0): Steps<unknown> {
    if (typeof given === "string") return yield* text(given, path);
    if (depth > DEEPEST) return yield* text(JSON.stringify(given) ?? "", path);
    if (Array.isArray(given)) return yield* list(given, path, depth);
    return isRecord(given) ? yield* record(given, path, depth) : given;
  }

  return {
    text: (given) => finish(text(given)),
    pieces: (given) => finish(pieces(given)),
    value: (given, path) => finish(value(given, path)),
    piecesInSteps: pieces,
    valueInSteps: (given, path) => value(given, path),
    hidden,
    learned,
  };
}

/** It is not part of the value in "The password is x." and "**Password: x**". */
const END_OF_SENTENCE = /[.!?*]+$/;
const CODE_NAME = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)*$/;

/**
 * True for "token: Credentials", "password = user.password" and "token = randomBytes(": names like these occur all over
 * a program, and are no secrets elsewhere.
 */
function isCodeName(text: string, { start, end, rule }: SecretRange): boolean {
  const name = text.slice(start, end);
  if (!CODE_NAME.test(name)) return false;
  if (text.charAt(end) === "(") return true;
  return text.charAt(start - 1) === " " && (rule === "secret" || name.includes("."));
}

function isWorthLearning({ length }: string): boolean {
  return length >= SHORTEST_LEARNED && length <= LONGEST_LEARNED;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
