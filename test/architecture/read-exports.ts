import { posix } from "node:path";

/** The exports of a file, and its imports from our other files. */
export interface ModuleLinks {
  readonly exports: readonly string[];
  /** The imported path with the imported names; null if all may be used. */
  readonly taken: readonly { readonly from: string; readonly names: readonly string[] | null }[];
}

const DECLARED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm;
const NAMED = /^import (?:type )?(?:\w+, )?\{([^}]*)\} from "([^"]+)"/gm;
const WHOLE = /^(?:import (?:type )?\* as \w+|export (?:type )?\*(?: as \w+)?) from "([^"]+)"/gm;
const LATER = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** Reads a formatted file, in which every statement starts a line. */
export function readLinks(file: string, text: string): ModuleLinks {
  const at = (specifier: string): string => posix.join(posix.dirname(file), specifier);
  const exported = [...text.matchAll(DECLARED)].map(([, name = ""]) => name);
  const taken: { from: string; names: readonly string[] | null }[] = [];
  for (const [, list = "", from] of text.matchAll(LISTED)) {
    exported.push(...namesIn(list).map(({ outside }) => outside));
    if (from) taken.push({ from: at(from), names: namesIn(list).map(({ inside }) => inside) });
  }
  for (const [, list = "", from = ""] of text.matchAll(NAMED)) {
    taken.push({ from: at(from), names: namesIn(list).map(({ inside }) => inside) });
  }
  for (const [, from = ""] of text.matchAll(WHOLE)) taken.push({ from: at(from), names: null });
  // A lazily loaded file can be used in many ways, so every name in the importer counts.
  const words = [...new Set(text.match(/\w+/g))];
  for (const [, from = ""] of text.matchAll(LATER)) taken.push({ from: at(from), names: words });
  return { exports: exported, taken };
}

function namesIn(list: string): { inside: string; outside: string }[] {
  const parts = list.split(",").map((part) => part.trim().replace(/^type /, ""));
  return parts.filter(Boolean).map((part) => {
    const [inside = "", outside = inside] = part.split(" as ");
    return { inside, outside };
  });
}

/** `file name` for each export that no other file imports. */
export function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const links = new Map([...files].map(([file, text]) => [file, readLinks(file, text)]));
  const used = new Set<string>();
  for (const { taken } of links.values()) {
    for (const { from, names } of taken) {
      for (const name of names ?? links.get(from)?.exports ?? []) used.add(`${from} ${name}`);
    }
  }
  const all = [...links].flatMap(([file, { exports }]) => exports.map((name) => `${file} ${name}`));
  return all.filter((line) => !used.has(line));
}

const VALUE = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class) (\w+)/gm;

/**
 * A sentence about a file whose only value has another name; null for others. Files with several values are families.
 */
export function misnamed(file: string, text: string): string | null {
  const [value, ...others] = [...text.matchAll(VALUE)].map(([, name = ""]) => name);
  if (value === undefined || others.length > 0) return null;
  const { exports } = readLinks(file, text);
  const names = [...exports, value.replace(/^(?:create|open)(?=[A-Z])/, "")].map(kebabOf);
  return names.includes(posix.basename(file, ".ts")) ? null : `${file} is not named after ${value}`;
}

function kebabOf(name: string): string {
  return name
    .replaceAll("_", "-")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase();
}
