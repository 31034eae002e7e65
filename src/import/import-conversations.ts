import { dirname } from "node:path";
import { BelayError } from "../contract/errors.ts";
import type { ImportReport } from "../contract/import/import-report.ts";
import type { ImportTool } from "../contract/vocabulary.ts";
import { IMPORT_FILES } from "../contract/vocabulary.ts";
import type { ImportRun } from "../service/import-access.ts";
import { everySession } from "../service/read/every-session.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { itemId } from "./bound-item.ts";
import { QUIET_SESSION } from "./branch-writer.ts";
import type { Conversation, Damage, ReportDamage } from "./conversation.ts";
import { findFiles } from "./find-files.ts";
import type { FoundObservation } from "./import-observation.ts";
import { importObservation } from "./import-observation.ts";
import { markFile } from "./mark-file.ts";
import { Pace } from "./pace.ts";
import type { WrittenBranch } from "./write-conversation.ts";
import { firstTurnOf, QUIET_TURN, writeConversation } from "./write-conversation.ts";

/** Finds and reads the conversations of one tool. */
export interface ConversationReader {
  readonly tool: ImportTool;
  /** The folder where the tool stores them on this machine. */
  home(env: Readonly<Record<string, string | undefined>>, userHome: string): string;
  /** The observations of a file that contains those instead of conversations; null if it does not. */
  observations?(file: string, report: ReportDamage): AsyncIterable<FoundObservation> | null;
  /** The folder with the other files of the same installation, if a conversation may be in several files. */
  folderOf?(file: string): string;
  /**
   * The conversations of a file, which stays open meanwhile. It never changes the file. `near` are the tool's files in
   * the same folder.
   */
  read(file: string, report: ReportDamage, near: NearFiles): AsyncIterable<Conversation>;
}

type NearFiles = () => Promise<readonly string[]>;

interface ImportOptions extends ImportRun {
  readonly path: string;
  /** Files with the same size and time as before are skipped. */
  readonly seen?: Map<string, string>;
}

/** The most entries that a report lists; all are counted. */
const MOST_TOLD = 1000;

/** Imports the conversations at a path. An unreadable part is reported and does not stop the rest. */
export async function importConversations(
  context: ServiceContext,
  caller: Caller,
  reader: ConversationReader,
  options: ImportOptions,
): Promise<ImportReport> {
  const { tool } = reader;
  const { dry_run, since, seen, signal } = options;
  const damage: Damage[] = [];
  let damaged = 0;
  const report: ReportDamage = (each) => {
    damaged += 1;
    if (damage.length < MOST_TOLD) damage.push(each);
  };
  const files = await findFiles(options.path, IMPORT_FILES[tool], report);
  let known: KnownSessions | null = null;
  const written: WrittenBranch[] = [];
  let conversations = 0;
  let read = 0;
  const pace = new Pace();
  const near = findNear(reader);
  const reportProgress = (done: number, more = 0): void => {
    const turns = written.reduce((sum, branch) => sum + branch.turns, more);
    const sessions = written.length + (more > 0 ? 1 : 0);
    options.onProgress?.({ files: done, total: files.length, sessions, turns });
  };
  for (const [at, file] of files.entries()) {
    if (signal?.aborted) break;
    if (pace.isDue) await pace.rest();
    try {
      const mark = look(file, context.now());
      if (seen?.get(file) !== mark.text && (since === null || mark.modified_at >= since)) {
        read += 1;
        known ??= await findKnown(context, caller);
        const { driven, started } = known;
        const drivenBy = (id: string) => driven.get(id) ?? null;
        const startedBy = (turn_id: string) => started.get(turn_id) ?? null;
        const observed = reader.observations?.(file, report) ?? null;
        for await (const found of observed ?? []) {
          conversations += 1;
          const options = { source: tool, file, dry_run, report };
          written.push(...(await importObservation(context, caller, found, options)));
        }
        for await (const conversation of observed ? [] : reader.read(file, report, near(file))) {
          if (since !== null && (conversation.updated_at ?? since) < since) continue;
          conversations += 1;
          const onWritten = (turns: number) => reportProgress(at, turns);
          const options = { source: tool, dry_run, drivenBy, startedBy, signal, onWritten };
          const [trunk, ...others] = await writeConversation(
            context,
            caller,
            conversation,
            options,
          );
          if (trunk) written.push(trunk, ...others);
          const [first] = trunk?.state === "new" ? await conversation.branches(new Map()) : [];
          const turn = first?.turns[0];
          if (trunk && turn !== undefined && !started.has(itemId(turn))) {
            started.set(itemId(turn), trunk.session_id);
          }
          reportProgress(at);
          if (signal?.aborted) break;
        }
        seen?.set(file, mark.text);
      }
    } catch (error) {
      if (error instanceof BelayError && error.code.startsWith("storage_")) throw error;
      report({ file, line: null, why: error instanceof Error ? error.message : String(error) });
    }
    reportProgress(at + 1);
  }
  const count = (state: WrittenBranch["state"]) =>
    written.filter((branch) => branch.state === state).length;
  return {
    ...{ tool, dry_run, files: read, conversations },
    new_sessions: count("new"),
    grown_sessions: count("grown"),
    known_sessions: count("known") + count("kept"),
    turns: written.reduce((sum, { turns }) => sum + turns, 0),
    sessions: written.filter(({ state, why }) => state !== "known" || why).slice(0, MOST_TOLD),
    ...{ damage, damaged },
  };
}

interface KnownSessions {
  /** The sessions whose agent Belay itself drives, by the agent's own session. */
  readonly driven: ReadonlyMap<string, string>;
  /** Imported sessions by their first turn. */
  readonly started: Map<string, string>;
}

async function findKnown({ store }: ServiceContext, { owner }: Caller): Promise<KnownSessions> {
  const driven = new Map<string, string>();
  const started = new Map<string, string>();
  for await (const { head } of everySession(store, owner, {})) {
    const id = head.agent?.session_id;
    if (id != null) driven.set(id, head.session_id);
    const first = firstTurnOf(head);
    if (first !== null && !head.parent) started.set(first, head.session_id);
  }
  return { driven, started };
}

/** Finds the files of a folder once. */
function findNear({ tool, folderOf }: ConversationReader): (file: string) => NearFiles {
  const found = new Map<string, Promise<string[]>>();
  return (file) => () => {
    const folder = folderOf?.(file) ?? dirname(file);
    const files = found.get(folder) ?? findFiles(folder, IMPORT_FILES[tool], () => {});
    found.set(folder, files);
    return files;
  };
}

/** Unchanged as long as reading the file again would change nothing; silence also ends turns and sessions. */
function look(file: string, now: number): ReturnType<typeof markFile> {
  const { text, modified_at } = markFile(file);
  const quiet = [QUIET_TURN, QUIET_SESSION].filter((ms) => now - modified_at >= ms).length;
  return { text: `${text} ${quiet}`, modified_at };
}
