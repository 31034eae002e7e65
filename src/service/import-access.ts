import type { ImportReport } from "../contract/import-report.ts";
import type { ImportTool } from "../contract/vocabulary.ts";
import type { Caller } from "./service-context.ts";

/** Imports of other tools' conversations, as doors reach them. */
export interface ImportAccess {
  places(caller: Caller): Promise<{ tool: ImportTool; path: string; found: boolean }[]>;
  run(
    caller: Caller,
    tool: ImportTool,
    options: { readonly dry_run: boolean; readonly since: number | null },
  ): Promise<ImportReport>;
  upload(
    caller: Caller,
    tool: ImportTool,
    file: { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> },
    options: { readonly dry_run: boolean },
  ): Promise<ImportReport>;
}
