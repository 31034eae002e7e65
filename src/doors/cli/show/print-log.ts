import { BelayError, refuse } from "../../../contract/errors.ts";
import { LOG_START, readLogPlace, SeqOrCursor } from "../../../contract/event-cursor.ts";
import type { Output } from "../../../contract/operations.ts";
import type { LogEvent } from "../../../contract/session.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";
import { gist } from "./show.ts";
import { localTime } from "./table.ts";

const PAGE = 500;

/** `log --all`, `--ndjson` and `--follow`: every event in order and, with follow, new ones until Ctrl-C. */
export async function printLog(args: readonly string[], program: Program): Promise<number> {
  const { positionals, values } = expectArguments(
    "log ID [--all] [--follow] [--ndjson] [--after CURSOR]",
    args,
    1,
    {
      all: { type: "boolean" },
      follow: { type: "boolean" },
      ndjson: { type: "boolean" },
      after: { type: "string" },
    },
  );
  const [id = ""] = positionals;
  const { terminal } = program;
  const asJson = values.ndjson === true || terminal.json;
  // One object, like the other pages of `--json`.
  const isOne = terminal.json && values.ndjson !== true && values.follow !== true;
  const from = readStart(String(values.after ?? 0));
  const all: LogEvent[] = [];
  const print = (event: LogEvent): void => {
    if (isOne) all.push(event);
    else terminal.write(asJson ? `${visibleJson(event)}\n` : lineOf(event));
  };
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  let waiting: NodeJS.Timeout | undefined;
  const belay = await program.open();
  try {
    if (values.follow !== true) {
      let cursor: string | null = null;
      for (let next: string | number | null = from; next !== null; ) {
        const input = { id, after: next, limit: PAGE };
        const page: Output<"log"> = await belay.service.call("log", input, program.caller);
        for (const event of page.events) print(event);
        cursor = page.cursor ?? cursor;
        next = page.next_cursor === null ? null : cursor;
      }
      if (isOne) terminal.write(`${visibleJson({ events: all, next_cursor: null, cursor })}\n`);
      return 0;
    }
    // Waiting for another process's events does not keep this process alive, so this timer does.
    waiting = setInterval(() => {}, 60_000);
    process.once("SIGINT", onSignal);
    process.once("SIGTERM", onSignal);
    const place = readLogPlace(from) ?? LOG_START;
    for await (const event of belay.follow(id, place, stop.signal)) print(event);
    return 0;
  } finally {
    clearInterval(waiting);
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    await belay.close();
  }
}

function readStart(after: string): string {
  const parsed = SeqOrCursor.safeParse(after);
  if (parsed.success) return String(parsed.data);
  const message = `--after: ${parsed.error.issues[0]?.message}`;
  throw new BelayError(refuse("invalid_input", message, { field: "after" }));
}

function lineOf({ seq, at, type, data }: LogEvent): string {
  const time = colors.dim(localTime(at));
  return `${String(seq).padStart(5)}  ${time}  ${colors.cyan(type)}  ${visibleLine(gist(data))}\n`;
}
