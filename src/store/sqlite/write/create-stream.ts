import { LIMITS } from "../../../contract/limits.ts";
import type { Listing } from "../../../contract/stream.ts";
import { NO_HASH } from "../../log/hash-event.ts";
import { lineageAfter } from "../../log/lineage.ts";
import type { Append } from "../../stream-store.ts";
import { hashBefore } from "../database/event-log.ts";
import { KeptHead } from "../database/kept-head.ts";
import { NOTHING_OPENED } from "../database/opened-places.ts";
import { openedUpTo } from "../database/opened-rows.ts";
import { damaged } from "../database/storage-error.ts";
import type { StreamRow } from "../database/stream-row.ts";
import { copyHistory } from "./copy-history.ts";
import type { OpenStream, WriteBatch } from "./write-batch.ts";

type Create = NonNullable<Append["create"]>;

/** Creates a stream, empty or after an event of another. */
export function createStream(
  batch: WriteBatch,
  id: string,
  create: Create,
  listing: Listing,
): OpenStream {
  const { kind, owner, key, base } = create;
  const sid = batch.nextSid();
  const inherited = base
    ? inherit(batch, sid, base)
    : { seq: 0, hash: NO_HASH, lineage: [], opened: NOTHING_OPENED };
  return batch.create({
    sid,
    id,
    kind,
    owner,
    key,
    ...inherited,
    epoch: 0,
    holder: null,
    listing,
    head: KeptHead.stored("null", id),
  });
}

function inherit(
  batch: WriteBatch,
  sid: number,
  base: NonNullable<Create["base"]>,
): Pick<StreamRow, "seq" | "hash" | "lineage" | "opened"> {
  const { id, seq } = base;
  const parent = batch.load({ id })?.row;
  if (!parent) throw damaged(id, "it was loaded and is not there");
  const hash = hashBefore(batch.db, parent, seq + 1);
  const lineage = lineageAfter(parent, seq);
  const opened = openedUpTo(batch.db, parent, seq);
  if (lineage.length <= LIMITS.FORK_DEPTH) return { seq, hash, lineage, opened };
  copyHistory(batch, sid, id, lineage);
  return { seq, hash, lineage: [], opened };
}
