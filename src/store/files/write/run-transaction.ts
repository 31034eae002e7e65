import type { ListingDeclaration } from "../../../contract/stream.ts";
import {
  type ContentLimits,
  checkAppends,
  refuseReusedKey,
  runDecision,
} from "../../append-rules.ts";
import { idemOf } from "../../log/hash-event.ts";
import { readRows } from "../../scan/read-rows.ts";
import type { Idempotency, Outcome, Transaction } from "../../stream-store.ts";
import type { FilesFolder } from "../disk/files-folder.ts";
import { stageAppend } from "./stage-append.ts";
import type { WriteBatch } from "./write-batch.ts";

interface Rules {
  readonly files: FilesFolder;
  readonly declared: ListingDeclaration;
  readonly limits: ContentLimits | undefined;
}

export function runTransaction(
  batch: WriteBatch,
  transaction: Transaction,
  { files, declared, limits }: Rules,
): Outcome {
  const { streams, reads = [], idempotency } = transaction;
  const { index, open } = batch;
  const replay = idempotency && findReplay(batch, idempotency);
  if (replay) return replay;

  const found = streams.map((ref) => index.find(ref));
  const loaded = {
    streams: found.map((stream) => stream && open.describe(stream)),
    rows: reads.map(({ stream, query }) => {
      const asked = found[stream];
      return asked ? readRows(batch.load(asked).patches, query) : [];
    }),
  };
  const { verdict, ...ground } = runDecision(transaction, loaded, (ref) => {
    const stream = index.find(ref);
    return stream && open.describe(stream);
  });
  if ("refused" in verdict) return { kind: "refused", refusal: verdict.refused };

  const result = checkAppends(verdict.appends, {
    ...ground,
    idempotency,
    hasStream: (id) => index.streams.has(id),
    wasPurged: (id) => index.purged.has(id),
    declared,
    limits,
  });
  if ("refused" in result) return { kind: "refused", refusal: result.refused };
  const staged = result.checked.map((checked, nth) =>
    stageAppend(files, batch, checked, nth === 0 ? idempotency : undefined),
  );
  for (const each of staged) batch.add(each);
  return { kind: "committed", streams: staged.map(({ stream }) => open.describe(stream)) };
}

/** The earlier answer to this key. */
function findReplay({ index }: WriteBatch, idempotency: Idempotency): Outcome | undefined {
  const answer = index.findRemembered(idemOf(idempotency));
  if (!answer) return undefined;
  if (answer.digest !== idempotency.digest) {
    return { kind: "refused", refusal: refuseReusedKey(idempotency) };
  }
  return { kind: "replayed", id: answer.id, from: answer.from, to: answer.to };
}
