import { createReadStream } from "node:fs";
import { BelayError, ERRORS, refuse } from "../../../contract/errors.ts";
import { Time } from "../../../contract/operations/operation.ts";
import { readInstant } from "../../../contract/read-instant.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { AUDIT_KINDS } from "../../../contract/vocabulary.ts";
import { AUDIT_FORMATS, writeAuditLines } from "../../../service/audit/write-audit-lines.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";
import { writeNewFile } from "./file-commands.ts";

const USAGE =
  "audit --format ndjson|cef [--since TIME] [--session ID] [--person NAME] [--what did|saw|refused] [--everyone] [--out FILE]";

/** `belay audit --format`: exports every entry with the hash that it was written with. */
export async function exportAudit(args: readonly string[], program: Program): Promise<number> {
  const { terminal, version } = program;
  const { values } = expectArguments(USAGE, args, 0, {
    format: { type: "string" },
    since: { type: "string" },
    session: { type: "string" },
    person: { type: "string" },
    what: { type: "string" },
    everyone: { type: "boolean" },
    out: { type: "string" },
  });
  const { session, person, out } = values;
  const format = readChoice("format", values.format, AUDIT_FORMATS);
  const wanted = {
    since: readSince(values.since),
    everyone: values.everyone === true,
    ...(typeof session === "string" && { id: session }),
    ...(typeof person === "string" && { person }),
    ...(values.what !== undefined && { what: readChoice("what", values.what, AUDIT_KINDS) }),
  };
  const belay = await program.open({ create: false });
  try {
    const lines = writeAuditLines(belay.audit.export(wanted), format, version);
    if (typeof out === "string") {
      await writeNewFile(out, lines);
      terminal.note(`Wrote ${visibleLine(out)}`);
      return 0;
    }
    for await (const line of lines) terminal.write(line);
    return 0;
  } finally {
    await belay.close();
  }
}

function readChoice<T extends string>(field: string, value: unknown, known: readonly T[]): T {
  const chosen = known.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  const message = `--${field} must be one of ${known.join(", ")}, not "${value}".`;
  throw new BelayError(refuse("invalid_input", message, { field }));
}

function readSince(since: unknown): number {
  if (since === undefined) return 0;
  if (Time.safeParse(since).success) return readInstant(String(since));
  const message = "since: must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z";
  throw new BelayError(refuse("invalid_input", message, { field: "since" }));
}

/** `belay audit --check FILE`: checks that the store still has every exported entry. */
export async function checkAudit(args: readonly string[], program: Program): Promise<number> {
  const { terminal } = program;
  const { values } = expectArguments("audit --check FILE", args, 0, { check: { type: "string" } });
  const file = String(values.check);
  const belay = await program.open({ create: false });
  try {
    const input = createReadStream(file);
    const opened = new Promise<void>((resolve, reject) => {
      input.once("open", () => resolve());
      input.once("error", (error) => {
        const message = `Cannot read ${file}: ${error.message}.`;
        reject(new BelayError(refuse("file_not_found", message, { file }), error));
      });
    });
    await opened;
    const { createInterface } = process.getBuiltinModule("node:readline");
    const result = await belay.audit.check(createInterface({ input, crlfDelay: Infinity }));
    const { checked, changed } = result;
    const lines = changed.map(
      ({ stream, seq }) => `changed  ${visibleLine(stream)} event ${seq}\n`,
    );
    const told =
      changed.length === 0
        ? `All ${checked} lines of the file are in the store as they were exported.\n`
        : `${lines.join("")}${changed.length} of ${checked} lines were changed or removed. Run: belay verify\n`;
    terminal.write(terminal.json ? `${visibleJson(result)}\n` : told);
    return changed.length === 0 ? 0 : ERRORS.storage_damaged.exit;
  } finally {
    await belay.close();
  }
}
