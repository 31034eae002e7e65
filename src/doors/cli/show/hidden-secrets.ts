import type { HiddenSecret } from "../../../contract/past.ts";
import type { Terminal } from "../program.ts";
import { formatTable } from "./table.ts";

/** The places where secrets would be replaced, never the secrets themselves. */
export function hiddenSecrets(hidden: readonly HiddenSecret[], terminal: Terminal): string {
  return formatTable(
    hidden,
    [
      { title: "EVENT", cell: ({ seq }) => String(seq ?? "session") },
      { title: "KIND", cell: ({ rule }) => rule },
      { title: "LENGTH", cell: ({ length }) => String(length) },
      { title: "FIELD", shrinks: true, cell: ({ path }) => path },
    ],
    terminal.columns,
  );
}
