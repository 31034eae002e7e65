import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freshCopy } from "./damage-trial.ts";

/** All heads and bodies by plain SQL, after some damage to a copy; null if SQLite itself notices. */
export function readUnchecked(
  from: string,
  copy = `${from}-unchecked`,
  damage: (copy: string) => void = () => {},
): string | null {
  freshCopy(from, copy);
  damage(copy);
  try {
    const database = new DatabaseSync(join(copy, "belay.db"), { readOnly: true });
    try {
      const heads = database.prepare("SELECT id, head FROM streams ORDER BY sid").all();
      const bodies = database.prepare("SELECT sid, seq, body FROM events ORDER BY pos").all();
      return JSON.stringify({ heads, bodies });
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}
