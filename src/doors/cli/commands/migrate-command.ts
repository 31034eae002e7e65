import { BelayError, refuse } from "../../../contract/errors.ts";
import { counted } from "../../../contract/import/describe-import.ts";
import { visibleJson } from "../../../contract/visible-text.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Migration, Program } from "../program.ts";

const USAGE = "migrate --from STORE --to STORE";

export async function migrate(args: readonly string[], program: Program): Promise<number> {
  const { values } = expectArguments(USAGE, args, 0, {
    from: { type: "string" },
    to: { type: "string" },
  });
  const { from, to } = values;
  if (typeof from !== "string" || typeof to !== "string") {
    throw new BelayError(refuse("usage", `Usage: belay ${USAGE}`));
  }
  const { terminal } = program;
  const migration = await (await program.migration()).run({ from, to }, (done, total) => {
    if (terminal.interactive) terminal.note(`copied ${done} of ${total} events`);
  });
  terminal.write(terminal.json ? `${visibleJson(migration)}\n` : describe(migration, to));
  return 0;
}

function describe({ streams, events, skipped, newer, encrypted, settings }: Migration, to: string) {
  const next = to.startsWith("postgres")
    ? "To use the copy, set BELAY_DATABASE_URL to its address."
    : `To use the copy, set BELAY_HOME to its folder.`;
  const lines = [
    `Copied ${counted(events, "event")} of ${counted(streams, "log")}, and compared every hash. The source is unchanged.`,
    ...(skipped > 0 ? [`${skipped} of the events were already there.`] : []),
    ...(encrypted ? ["The copy is encrypted with the same key."] : []),
    ...(settings.length > 0 ? [`Settings were copied too: ${settings.join(", ")}.`] : []),
    ...(newer > 0
      ? [
          `${newer} events were written to the source meanwhile. Stop its server, and run this again.`,
        ]
      : []),
    next,
  ];
  return `${lines.join("\n")}\n`;
}
