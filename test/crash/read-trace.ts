import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Acknowledgement } from "./acknowledgements.ts";

/** A process's file operations, in order. */
export type Step =
  | { readonly kind: "log written" }
  | { readonly kind: "log synced" }
  | { readonly kind: "anchored"; readonly seq: number }
  | { readonly kind: "acknowledged"; readonly version: number };

/** Reads the output of `strace -y`; only anchor records of this entity count. */
export function readTrace(path: string, entity: string): Step[] {
  const name = Buffer.from(entity.replaceAll("-", ""), "hex").toString("base64url");
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => readLine(line, name));
}

const LINE =
  /^\d+ +(\w+)\(\d+<([^>]+)>(?:, "((?:[^"\\]|\\.)*)"(?:\.\.\.)?)?(?:, \d+)*\) += (-?\d+)/;

function readLine(line: string, name: string): Step[] {
  const [, call = "", path = "", text = "", result = ""] = LINE.exec(line) ?? [];
  if (Number(result) < 0) return [];
  switch (basename(path)) {
    case "belay.db-wal":
      return [{ kind: call === "pwrite64" ? "log written" : "log synced" }];
    case "anchor.log":
      return readRecords(text, name);
    case "said":
      return [{ kind: "acknowledged", version: readVersion(text) }];
    default:
      return [];
  }
}

function readRecords(text: string, name: string): Step[] {
  return text.split("\\n").flatMap((record) => {
    const [of, seq] = record.split(" ");
    return of === name ? [{ kind: "anchored", seq: Number(seq) } as const] : [];
  });
}

/** strace shows text as a C string, which for a line of JSON is JSON within JSON. */
function readVersion(text: string): number {
  const line: unknown = JSON.parse(`"${text}"`);
  return Acknowledgement.parse(JSON.parse(String(line))).version ?? 0;
}
