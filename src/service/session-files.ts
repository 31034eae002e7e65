import type { AddedFile } from "../contract/added-file.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import { isRecord } from "../contract/is-record.ts";
import { KnownFile, NewFile } from "../contract/method-inputs.ts";
import type { OperationName } from "../contract/operations.ts";
import type { BlobStore, StoredBlob as StoredFile } from "../store/blob-store.ts";
import { expectRoom } from "../store/expect-room.ts";
import { readRows } from "../store/read-streams.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { filesLimit } from "./access/files-limit.ts";
import { openShared } from "./access/open-shared.ts";
import { parseObject } from "./belay-service.ts";
import { expectScope } from "./expect-scope.ts";
import { workOperations } from "./operations/work-operations.ts";
import { findSession } from "./read/find-session.ts";
import { showsMerged } from "./read/shows-merged.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** Files stored with sessions, for every interface. They are not operations, because their bytes are streamed. */
export interface SessionFiles {
  /** Stores a file with a session, and records it there as an artifact. */
  add(caller: Caller, file: unknown, source: AsyncIterable<Uint8Array>): Promise<AddedFile>;
  read(caller: Caller, file: unknown): Promise<StoredFile>;
  /** Deletes the bytes; the record of the file stays. */
  drop(caller: Caller, file: unknown): Promise<void>;
}

export function sessionFiles(whole: ServiceContext): SessionFiles {
  /** Access to a file follows the access to the operation that lists it. */
  const find = async (as: Caller, operation: OperationName, named: string) => {
    const opened = await openShared(whole, operation, { id: named }, as);
    const id = isRecord(opened.input) ? String(opened.input.id) : named;
    const context = { ...whole, store: opened.store };
    const { stream } = await findSession(context, opened.caller.owner, id);
    return { context, caller: opened.caller, stream, blobs: blobsOf(context) };
  };
  const findFile = async (caller: Caller, operation: OperationName, file: unknown) => {
    const { id, digest } = parseObject(KnownFile, file);
    const { context, stream, blobs } = await find(caller, operation, id);
    const found =
      (await blobs.get(stream.id, digest)) ??
      (await findMerged(context.store, blobs, stream.id, digest));
    if (found) return { stream, blobs, found };
    const message = `${stream.key} has no file ${digest}. List its artifacts to find the digests of its files.`;
    throw new BelayError(refuse("file_not_found", message, { digest }));
  };

  return {
    async add(caller, file, source) {
      expectScope(caller.scope, "record");
      const { id, ...artifact } = parseObject(NewFile, file);
      const { context, stream, blobs } = await find(caller, "record_artifact", id);
      const most = filesLimit();
      // A full account is refused before its bytes are read; the store checks again when they are there.
      expectRoom(stream.owner, await blobs.used(stream.owner), 1, most);
      const { digest, size, added } = await blobs.put(stream.id, source, undefined, most);
      const recorded = { ...artifact, id: stream.key, uri: `blob:${digest}`, details: { size } };
      try {
        const { record_artifact: record } = workOperations;
        return { ...(await record(context, recorded, caller)), digest, size };
      } catch (error) {
        if (added) await blobs.drop(stream.id, digest);
        throw error;
      }
    },

    async read(caller, file) {
      expectScope(caller.scope, "read");
      return (await findFile(caller, "list_artifacts", file)).found;
    },

    async drop(caller, file) {
      expectScope(caller.scope, "write");
      const { stream, blobs, found } = await findFile(caller, "record_artifact", file);
      await blobs.drop(stream.id, found.digest);
    },
  };
}

/** A file that came with a merge stays with the session it was added to. */
async function findMerged(
  store: StreamStore,
  blobs: BlobStore,
  id: string,
  digest: string,
): Promise<StoredFile | undefined> {
  for (let after = 0; ; ) {
    const rows = await readRows(store, id, { kind: "artifact", after, limit: ROWS_AT_ONCE });
    const holder = rows.find(({ data }) => data.uri === `blob:${digest}` && data.in !== undefined);
    if (holder) {
      const merged = String(holder.data.in);
      return (await showsMerged(store, id, merged)) ? blobs.get(merged, digest) : undefined;
    }
    if (rows.length === 0) return undefined;
    after = rows.at(-1)?.place ?? after;
  }
}

const ROWS_AT_ONCE = 500;

function blobsOf({ store: { blobs } }: ServiceContext): BlobStore {
  if (blobs) return blobs;
  throw new BelayError(
    refuse("storage_unsupported", "This store cannot store files. Use a store with blobs."),
  );
}
