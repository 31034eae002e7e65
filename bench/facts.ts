import { statfsSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import type { Scale } from "./scale.ts";

/** Facts that explain the numbers of a run without naming the machine. */
export interface Facts {
  readonly node: string;
  readonly sqlite: string;
  readonly cores: number;
  /** Other processes that wanted a core in the minute before the run. */
  readonly load_before: number;
  readonly folder: "disk" | "memory";
  readonly scale: Scale["name"];
  readonly sessions: number;
  readonly side_by_side: Scale["sideBySide"];
}

const tmpfs = 0x01021994;

export function gatherFacts(scale: Scale): Facts {
  return {
    node: process.versions.node,
    sqlite: sqliteVersion(),
    cores: availableParallelism(),
    load_before: loadavg()[0] ?? 0,
    folder: statfsSync(tmpdir()).type === tmpfs ? "memory" : "disk",
    scale: scale.name,
    sessions: scale.list.sessions,
    side_by_side: scale.sideBySide,
  };
}

function sqliteVersion(): string {
  const db = new DatabaseSync(":memory:");
  const row = db.prepare("SELECT sqlite_version() AS version").get();
  db.close();
  return String(row?.version);
}
