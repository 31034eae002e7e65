import { BelayError, refuse } from "../../../contract/errors.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleJson, visibleLine, visibleText } from "../../../contract/visible-text.ts";
import { createTranscript } from "../../../service/read/create-transcript.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { OpenBelay, Program } from "../program.ts";
import { hiddenSecrets } from "../show/hidden-secrets.ts";
import { writeNewFile } from "./file-commands.ts";

const USAGE = "export ID [--redact] [--preview] [--format markdown|ndjson] [--out FILE]";
const FORMATS = ["markdown", "ndjson"];

type Page = Output<"export">;

/** Writes a session to the terminal or into a file, or lists the secrets that would be hidden. */
export async function exportCommand(args: readonly string[], program: Program): Promise<number> {
  const { terminal } = program;
  const { positionals, values } = expectArguments(USAGE, args, 1, {
    redact: { type: "boolean" },
    preview: { type: "boolean" },
    format: { type: "string" },
    out: { type: "string" },
  });
  const { preview = false, format = terminal.json ? "ndjson" : "markdown", out } = values;
  if (!FORMATS.includes(String(format))) {
    const message = `Unknown format "${format}". Use one of: ${FORMATS.join(", ")}.`;
    throw new BelayError(refuse("invalid_input", message, { field: "format" }));
  }
  const belay = await program.open({ create: false });
  try {
    const redact = preview === true || values.redact === true;
    const pages = readPages(belay, program, { id: positionals[0], redact });
    if (preview) return await showHidden(pages, program);
    const render = format === "ndjson" ? renderLines : renderMarkdown;
    if (typeof out === "string") {
      await writeNewFile(out, render(pages));
      terminal.note(`Wrote ${visibleLine(out)}`);
      return 0;
    }
    for await (const text of render(pages)) terminal.write(text);
    return 0;
  } finally {
    await belay.close();
  }
}

async function* readPages(
  { service }: OpenBelay,
  { caller }: Program,
  input: { readonly id: unknown; readonly redact: boolean },
): AsyncGenerator<Page> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Page = await service.call("export", { ...input, after, limit: 500 }, caller);
    yield page;
    after = page.next_cursor;
  }
}

async function* renderLines(pages: AsyncIterable<Page>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const { session, events } of pages) {
    if (isFirst) yield `${visibleJson({ session })}\n`;
    isFirst = false;
    for (const event of events) yield `${visibleJson(event)}\n`;
  }
}

async function* renderMarkdown(pages: AsyncIterable<Page>): AsyncGenerator<string> {
  const render = createTranscript();
  let isFirst = true;
  for await (const { session, events } of pages) {
    const { title, session_id, agent_name, status, created_at } = session;
    if (isFirst) {
      const about = [session_id, agent_name, status, `started ${created_at}`].join(", ");
      yield `# ${visibleLine(title ?? session_id)}\n\n${visibleLine(about)}`;
    }
    isFirst = false;
    for (const event of events) yield visibleText(render(event));
  }
  yield "\n";
}

/** Lists the places of hidden secrets, never the secrets themselves. */
async function showHidden(pages: AsyncIterable<Page>, { terminal }: Program): Promise<number> {
  const found: Page["hidden"][number][] = [];
  let isFirst = true;
  for await (const { hidden } of pages) {
    // Each page repeats the session's own fields.
    found.push(...hidden.filter(({ seq }) => isFirst || seq !== null));
    isFirst = false;
  }
  if (terminal.json) {
    terminal.write(`${visibleJson({ hidden: found })}\n`);
    return 0;
  }
  if (found.length === 0) {
    terminal.write("No secrets found. Read the session before you share it.\n");
    return 0;
  }
  terminal.write(hiddenSecrets(found, terminal));
  return 0;
}
