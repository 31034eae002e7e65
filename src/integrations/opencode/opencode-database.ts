import { isRecord } from "../../contract/is-record.ts";
import type { ReportDamage } from "../../import/conversation.ts";
import { type ForeignDatabase, openDatabase } from "../../import/open-database.ts";
import type { Fields } from "../../import/record-file.ts";

/** A message whose parts are read on demand. */
export interface StoredMessage {
  readonly info: Fields;
  parts(): readonly Fields[];
}

/** The database of OpenCode, opened read-only. */
export class OpencodeDatabase {
  readonly #opened: ForeignDatabase;

  private constructor(opened: ForeignDatabase) {
    this.#opened = opened;
  }

  static async open(path: string): Promise<OpencodeDatabase> {
    return new OpencodeDatabase(await openDatabase(path, ["session", "message", "part"]));
  }

  /** Oldest first, so that parents come before their sub-agents. */
  *sessions(): Generator<Fields> {
    const rows = this.#opened.database
      .prepare(
        "SELECT id, parent_id, directory, title, version, time_created, time_updated FROM session ORDER BY time_created, id",
      )
      .all();
    for (const row of rows) {
      const { id, directory, title, version } = row;
      const time = { created: row.time_created, updated: row.time_updated };
      yield { id, parentID: row.parent_id, directory, title, version, time };
    }
  }

  messages(session_id: string, report: ReportDamage): StoredMessage[] {
    const query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id";
    const rows = this.#rows(query, session_id, report);
    return rows.flatMap(({ id, data }) => {
      const info = this.#parse(data, `message ${id}`, report);
      if (!info) return [];
      return [{ info: { id, ...info }, parts: () => this.#parts(String(id), report) }];
    });
  }

  #parts(message_id: string, report: ReportDamage): Fields[] {
    const query = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id";
    return this.#rows(query, message_id, report).flatMap(({ id, data }) => {
      const part = this.#parse(data, `part ${id}`, report);
      return part ? [part] : [];
    });
  }

  /** A damaged page hides only its own content. */
  #rows(query: string, of: string, report: ReportDamage) {
    try {
      return this.#opened.database.prepare(query).all(of);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      report({ file: this.#opened.path, line: null, why: `${of}: ${why}` });
      return [];
    }
  }

  #parse(data: unknown, what: string, report: ReportDamage): Fields | null {
    try {
      const value: unknown = JSON.parse(String(data));
      if (isRecord(value)) return value;
    } catch {
      // Reported below.
    }
    report({ file: this.#opened.path, line: 0, why: `${what} is not a complete record` });
    return null;
  }

  close(): void {
    this.#opened.close();
  }
}
