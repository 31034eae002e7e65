import { hash } from "node:crypto";
import { isRecord } from "../../contract/is-record.ts";
import type { ReportDamage } from "../../import/conversation.ts";
import { textIn } from "../../import/fields.ts";
import { type ForeignDatabase, openDatabase } from "../../import/open-database.ts";
import type { Fields } from "../../import/record-file.ts";

const LARGEST = 64 * 1024 * 1024;
/** Messages are JSON. The other contents are protocol buffers that refer to them. */
const OPEN_BRACE = "7B";

/** The store of one conversation of Cursor's command line: contents by their digest, opened read-only. */
export class CursorStore {
  readonly #opened: ForeignDatabase;

  private constructor(opened: ForeignDatabase) {
    this.#opened = opened;
  }

  static async open(path: string): Promise<CursorStore> {
    return new CursorStore(await openDatabase(path, ["blobs", "meta"]));
  }

  /** Cursor's metadata of the conversation: JSON, in most versions written as hexadecimal digits. */
  about(report: ReportDamage): Fields {
    try {
      const row = this.#opened.database.prepare("SELECT value FROM meta WHERE key = '0'").get();
      const text = textOf(row?.value);
      const json = /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, "hex").toString() : text;
      const value: unknown = JSON.parse(json);
      if (isRecord(value)) return value;
    } catch {
      // Reported below.
    }
    report({
      file: this.#opened.path,
      line: 0,
      why: "the metadata of the conversation cannot be read",
    });
    return {};
  }

  /** Passes on every message in the order of writing. A damaged page hides only its own content. */
  scan(report: ReportDamage, see: (id: string, message: Fields) => void): void {
    const query = (order: string) =>
      this.#opened.database.prepare(
        `SELECT rowid AS row, id, length(data) AS size,
           CASE WHEN length(data) <= ${LARGEST} AND hex(substr(data, 1, 1)) = '${OPEN_BRACE}' THEN data END AS data
         FROM blobs ORDER BY rowid ${order}`,
      );
    const take = ({ row, id, size, data }: Readonly<Record<string, unknown>>): void => {
      const line = Number(row);
      if (Number(size) > LARGEST) {
        report({ file: this.#opened.path, line, why: `longer than ${LARGEST} bytes` });
      }
      const message = data === null ? null : this.#parse(data, String(id), line, report);
      if (message) see(String(id), message);
    };
    let last = Number.NEGATIVE_INFINITY;
    try {
      for (const row of query("ASC").iterate()) {
        last = Number(row.row);
        take(row);
      }
    } catch (error) {
      const behind = this.#rowsBehind(query("DESC"), last);
      for (const row of behind) {
        const found = this.#opened.database
          .prepare("SELECT rowid AS row, id, length(data) AS size, data FROM blobs WHERE rowid = ?")
          .get(row);
        if (found) take(found);
      }
      const why = error instanceof Error ? error.message : String(error);
      const line = Number.isFinite(last) ? last + 1 : 1;
      report({ file: this.#opened.path, line, why });
    }
  }

  /** The rows that can be read from the end, oldest first. */
  #rowsBehind(query: ReturnType<ForeignDatabase["database"]["prepare"]>, last: number): number[] {
    const rows: number[] = [];
    try {
      for (const { row, data } of query.iterate()) {
        if (Number(row) <= last) break;
        if (data !== null) rows.push(Number(row));
      }
    } catch {
      // The same damage, reached from the other side.
    }
    return rows.reverse();
  }

  #parse(data: unknown, id: string, line: number, report: ReportDamage): Fields | null {
    const bytes = bytesOf(data);
    try {
      const value: unknown = JSON.parse(bytes.toString("utf8"));
      if (isRecord(value)) {
        if (hash("sha256", bytes) !== id) {
          report({
            file: this.#opened.path,
            line,
            why: `message ${id} does not match its checksum`,
          });
        }
        return value;
      }
    } catch {
      // Reported below.
    }
    report({ file: this.#opened.path, line, why: `message ${id} is not a complete record` });
    return null;
  }

  message(id: string): Fields {
    const value: unknown = JSON.parse(this.#bytes(id).toString("utf8"));
    return isRecord(value) ? value : {};
  }

  /** The ids in the first field of a content: those of the messages, in order. */
  namedBy(id: string | null): string[] {
    try {
      return id === null ? [] : [...digestsIn(this.#bytes(id))];
    } catch {
      // The order of writing is used instead.
      return [];
    }
  }

  #bytes(id: string): Buffer {
    const row = this.#opened.database.prepare("SELECT data FROM blobs WHERE id = ?").get(id);
    if (!row) throw new Error(`${this.#opened.path} has no content ${id}`);
    return bytesOf(row.data);
  }

  close(): void {
    this.#opened.close();
  }
}

function textOf(value: unknown): string {
  return textIn(value) ?? (value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : "");
}

function bytesOf(data: unknown): Buffer {
  return data instanceof Uint8Array
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(String(data));
}

const [DIGEST, FIRST_FIELD] = [32, 0x0a];

/** The digests in field 1 of a protocol buffer. Ends at the first other field. */
function* digestsIn(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const [size, from] = readSize(bytes, at + 1);
    if ((tag & 7) !== 2 || from + size > bytes.length) return;
    if (tag === FIRST_FIELD && size === DIGEST) yield bytes.toString("hex", from, from + size);
    at = from + size;
  }
}

function readSize(bytes: Buffer, at: number): [size: number, from: number] {
  let size = 0;
  for (let n = 0; n < 4; n += 1) {
    const byte = bytes[at + n] ?? 0;
    size |= (byte & 0x7f) << (7 * n);
    if (byte < 0x80) return [size, at + n + 1];
  }
  return [Number.MAX_SAFE_INTEGER, at];
}
