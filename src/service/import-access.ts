import type { ImportProgress, ImportReport } from "../contract/import/import-report.ts";
import type { ImportTool } from "../contract/vocabulary.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

export interface ImportRun {
  readonly dry_run: boolean;
  /** Conversations without activity since then are omitted. */
  readonly since: number | null;
  /** Ends the import early. Sessions imported by then stay. */
  readonly signal?: AbortSignal;
  onProgress?(progress: ImportProgress): void;
}

/** A local file or folder; by default the folder where the tool stores its files. */
type HomeRun = ImportRun & { readonly path?: string | undefined };

interface SentFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Aborted when its sender has gone. */
  readonly signal: AbortSignal;
}

/** Runs the import of a received file. */
type ReceivedFile = (options: ImportRun) => Promise<ImportReport>;

/** Imports other tools' conversations into the store of a context. */
export interface ImportAccess {
  places(caller: Caller): Promise<{ tool: ImportTool; path: string; found: boolean }[]>;
  run(
    context: ServiceContext,
    caller: Caller,
    tool: ImportTool,
    options: HomeRun,
  ): Promise<ImportReport>;
  receive(
    context: ServiceContext,
    caller: Caller,
    tool: ImportTool,
    file: SentFile,
  ): Promise<ReceivedFile>;
}

/** The same for one context. */
export interface BoundImports {
  run(caller: Caller, tool: ImportTool, options: HomeRun): Promise<ImportReport>;
  receive(caller: Caller, tool: ImportTool, file: SentFile): Promise<ReceivedFile>;
}

export function bindImports(imports: ImportAccess, context: ServiceContext): BoundImports {
  return {
    run: (...given) => imports.run(context, ...given),
    receive: (...given) => imports.receive(context, ...given),
  };
}
