import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { z } from "zod";
import { isRecord } from "../../contract/is-record.ts";
import { KnownFile, NewFile } from "../../contract/method-inputs.ts";
import { hijackReply } from "./hijack-reply.ts";
import type { HttpParts, OwnRoute, RouteCall } from "./http-parts.ts";
import { readQuery } from "./streams/read-request.ts";

/** Routes for files of sessions. Their bytes are streamed and never in memory all at once. */
export function fileRoutes({ files }: HttpParts): OwnRoute[] {
  return [
    {
      method: "POST",
      path: "/sessions/:id/files",
      doc: "Store a file with a session, and record it as an artifact. The body is the file itself, at most 64 MB.",
      scope: "record",
      takes: "bytes",
      input: NewFile,
      output: z.object({
        session_id: z.string(),
        artifact_id: z.string(),
        digest: z.string().describe("the digest to read the file with"),
        size: z.number().int(),
      }),
      async handle({ request, reply, caller, body }) {
        const { name, media_type } = readQuery(request, ["name", "media_type"]);
        const key = request.headers["idempotency-key"];
        const file = {
          ...paramsOf(request),
          name,
          ...(media_type !== undefined && { media_type }),
          ...(key !== undefined && { idempotency_key: key }),
        };
        reply.code(201);
        return files.add(caller, file, arriving(body));
      },
    },
    {
      method: "GET",
      path: "/sessions/:id/files/:digest",
      doc: "Read a file of a session",
      scope: "read",
      input: KnownFile,
      output: "*/*",
      async handle({ request, reply, caller, signal }) {
        readQuery(request, []);
        const file = await files.read(caller, paramsOf(request));
        const chunks = file.bytes()[Symbol.asyncIterator]();
        // Damage that is found before the first byte is answered as an error. Later, the answer breaks off before its end.
        const first = await chunks.next();
        // A browser must never treat the file as one of our pages.
        reply.type("application/octet-stream").header("content-disposition", "attachment");
        reply.header("content-length", file.size);
        await sendChunks(hijackReply(reply), first, chunks, signal);
        return undefined;
      },
    },
    {
      method: "DELETE",
      path: "/sessions/:id/files/:digest",
      doc: "Delete a file's contents. The record that the file existed stays.",
      scope: "write",
      input: KnownFile,
      async handle({ request, caller }) {
        readQuery(request, []);
        await files.drop(caller, paramsOf(request));
        return undefined;
      },
    },
  ];
}

/** If the handler stops reading, the connection stays open for the answer. */
function arriving(body: unknown): AsyncIterable<Uint8Array> {
  return body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : Readable.from([]);
}

/** Reads the next chunk after the previous one was sent, so that only one chunk is in memory. */
async function sendChunks(
  to: ServerResponse,
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for (let step = first; !step.done && !signal.aborted; step = await chunks.next()) {
    const { value } = step;
    await new Promise<void>((left) => to.write(value, () => left()));
    free(value);
  }
  await chunks.return?.();
  if (signal.aborted) to.destroy();
  else to.end();
}

/** Freed at once: the chunk has no other owner, and the engine would keep it for a while. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function paramsOf({ params }: RouteCall["request"]): Readonly<Record<string, unknown>> {
  return isRecord(params) ? { ...params } : {};
}
