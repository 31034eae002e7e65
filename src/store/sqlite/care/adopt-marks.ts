import type { CopyMarks } from "../../log/copy-source.ts";
import { fromHex } from "../database/columns.ts";
import type { WriteBatch } from "../write/write-batch.ts";

export function adoptMarks(batch: WriteBatch, { tombstones, epochs }: CopyMarks): void {
  for (const { id, seq, hash, at } of tombstones) batch.db.run(BURY, id, seq, fromHex(hash), at);
  for (const [id, epoch] of epochs) {
    const stream = batch.load({ id });
    if (stream && stream.row.epoch < epoch) stream.replace({ ...stream.row, epoch, holder: null });
  }
  batch.isChanged = true;
}

const BURY = "INSERT OR REPLACE INTO tombstones (id, seq, hash, at) VALUES (?, ?, ?, ?)";
