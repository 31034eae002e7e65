import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createService } from "../../../src/compose-service.ts";
import type { ImportReport } from "../../../src/contract/import/import-report.ts";
import type { Turn } from "../../../src/contract/session.ts";
import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { importConversations } from "../../../src/import/import-conversations.ts";
import { IMPORTERS } from "../../../src/integrations/importers.ts";
import { newId } from "../../../src/service/new-id.ts";
import type { Caller, ServiceContext } from "../../../src/service/service-context.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { loadStream, readRows } from "../../../src/store/read-streams.ts";

export const CALLER: Caller = {
  owner: "local",
  actor: "user:test",
  interface: "cli",
  trace_id: null,
};

/** Later than every time in the fixtures. */
export const LATER = Date.parse("2031-06-01T00:00:00Z");

/** A folder with another tool's files, and a store to import them into. */
export class ImportPlace {
  readonly folder = mkdtempSync(join(tmpdir(), "belay-import-"));
  readonly store = openMemoryStore();
  now = LATER;
  readonly context: ServiceContext = { store: this.store, now: () => this.now, newId };
  readonly service = createService(this.context);

  write(name: string, content: string | Buffer): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  import(
    tool: ImportTool,
    options: { path?: string; dry_run?: boolean; since?: number | null } = {},
  ): Promise<ImportReport> {
    const { path = this.folder, dry_run = false, since = null } = options;
    return importConversations(this.context, CALLER, IMPORTERS[tool], { path, dry_run, since });
  }

  async turns(id: string): Promise<Turn[]> {
    return (await this.service.call("turns", { id, limit: 1000 }, CALLER)).turns;
  }

  /** The conversation, one line per turn. */
  async told(id: string): Promise<string[]> {
    return (await this.turns(id)).map(({ input, output, status }) =>
      [input, output, ...(status === "completed" ? [] : [status])].join(" | "),
    );
  }

  /** Its tool calls with their results. */
  async calls(id: string): Promise<[title: unknown, status: unknown, output: unknown][]> {
    const { stream } = await this.#load(id);
    const rows = await readRows(this.store, stream, { kind: "action" });
    return rows.map(({ data }) => {
      const details = Object(data.details);
      return [details.title, data.status, Object(data.output).output ?? null];
    });
  }

  async log(id: string) {
    return (await this.service.call("log", { id, limit: 1000 }, CALLER)).events;
  }

  async #load(key: string) {
    const stream = await loadStream(this.store, { kind: "session", owner: CALLER.owner, key });
    if (!stream) throw new Error(`there is no session ${key}`);
    return { stream: stream.id };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

export function lines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
