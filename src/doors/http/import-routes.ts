import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ImportProgress } from "../../contract/import/import-report.ts";
import { ImportReport } from "../../contract/import/import-report.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { IMPORT_TOOLS } from "../../contract/vocabulary.ts";
import { parseObject } from "../../service/belay-service.ts";
import type { ImportRun } from "../../service/import-access.ts";
import type { HttpParts, OwnRoute, RouteCall } from "./http-parts.ts";
import type { SseMessage } from "./streams/answer-sse.ts";
import { answerSse } from "./streams/answer-sse.ts";
import { readFields, readQuery } from "./streams/read-request.ts";
import { STREAM_TIMES } from "./streams/stream-times.ts";

const { input } = OPERATIONS.import_conversations;
const Stream = z
  .boolean()
  .default(false)
  .describe("send the progress as text/event-stream: progress events, then report or failed");
const FromHome = input.extend({ stream: Stream });
const Upload = z.strictObject({
  tool: z.enum(IMPORT_TOOLS),
  name: z
    .string()
    .min(1)
    .describe("the file's name as the tool writes it, with folders if necessary"),
  dry_run: input.shape.dry_run,
  stream: Stream,
});

/** Imports other tools' conversations: from the server's machine, or from an uploaded file. */
export function importRoutes({ imports, streamTimes = STREAM_TIMES }: HttpParts): OwnRoute[] {
  const answer = (
    call: RouteCall,
    streams: boolean,
    start: (run: Pick<ImportRun, "signal" | "onProgress">) => Promise<ImportReport>,
  ): Promise<unknown> =>
    streams
      ? answerSse(call, followImport(start, call.signal), (message) => message, streamTimes)
      : start({ signal: call.signal });
  return [
    {
      method: "POST",
      path: "/imports/:tool",
      doc: `${OPERATIONS.import_conversations.doc}. Disconnecting stops the import; sessions imported by then stay.`,
      scope: OPERATIONS.import_conversations.scope,
      input: FromHome,
      output: ImportReport,
      async handle(call) {
        const { tool, since, stream, ...rest } = parseObject(FromHome, readFields(call));
        const from = since === undefined ? null : readInstant(since);
        return answer(call, stream, (run) =>
          imports.run(call.caller, tool, { ...rest, since: from, ...run }),
        );
      },
    },
    {
      method: "POST",
      path: "/imports/:tool/files",
      doc: "Import the conversations of one file. The body is the file itself, at most 64 MB. A person can import one file at a time. Disconnecting stops the import; sessions imported by then stay.",
      scope: "write",
      takes: "bytes",
      input: Upload,
      output: ImportReport,
      async handle(call) {
        const { request, caller, body } = call;
        const { name, dry_run, stream } = readQuery(request, ["name", "dry_run", "stream"]);
        const { tool } = z.object({ tool: z.unknown() }).parse(request.params);
        const asked = parseObject(Upload, {
          ...{ tool, name },
          ...{ dry_run: dry_run === "true", stream: stream === "true" },
        });
        const bytes = body instanceof Readable ? body : Readable.from([]);
        const start = await imports.receive(caller, asked.tool, {
          ...{ name: asked.name, bytes, signal: call.signal },
        });
        return answer(call, asked.stream, (run) =>
          start({ dry_run: asked.dry_run, since: null, ...run }),
        );
      },
    },
  ];
}

/** The shortest interval between two progress messages. */
const PROGRESS_MS = 100;

/** The progress of an import, then its report. A slow reader misses steps in between. */
async function* followImport(
  start: (run: Pick<ImportRun, "signal" | "onProgress">) => Promise<ImportReport>,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  let latest: ImportProgress | null = null;
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const onProgress = (progress: ImportProgress): void => {
    latest = progress;
    news.resolve();
  };
  const report = start({ signal, onProgress }).finally(() => {
    isOver = true;
    news.resolve();
  });
  // The result is awaited below.
  report.catch(() => undefined);
  while (!isOver) {
    await news.promise;
    news = Promise.withResolvers();
    if (latest) yield { event: "progress", data: latest };
    latest = null;
    await Promise.race([sleep(PROGRESS_MS), report.catch(() => undefined)]);
  }
  yield { event: "report", data: await report };
}
