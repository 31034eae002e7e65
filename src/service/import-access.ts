import type { ImportProgress, ImportReport } from "../contract/import-report.ts";
import type { ImportTool } from "../contract/vocabulary.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

export interface ImportRun {
  readonly dry_run: boolean;
  /** Conversations without a word since then are left out. */
  readonly since: number | null;
  /** Ends the import early. What is imported by then stays. */
  readonly signal?: AbortSignal;
  onProgress?(progress: ImportProgress): void;
}

/** A file or folder that someone on this machine named; without it, where the tool keeps its files. */
type HomeRun = ImportRun & { readonly path?: string | undefined };

interface SentFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Takes a file in. What is returned imports it. */
type ReceivedFile = (options: ImportRun) => Promise<ImportReport>;

/** Imports of other tools' conversations into the store of a context. */
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
