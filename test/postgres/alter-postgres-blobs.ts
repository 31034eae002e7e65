import type { AlterBlobs } from "../../src/store/conformance/suite.ts";
import { query } from "./scene-databases.ts";

/** Alters the stored blobs of a database behind the back of their store. */
export async function alterPostgresBlobs(
  url: string,
  how: Parameters<AlterBlobs>[1],
): Promise<void> {
  await query(url, how === "change a byte" ? CHANGE_BYTE : EXCHANGE);
}

const CHANGE_BYTE = `UPDATE belay.blob_chunks SET bytes =
  set_byte(bytes, length(bytes) - 1, get_byte(bytes, length(bytes) - 1) # 1)`;
/** The digests are unique at any moment. */
const EXCHANGE = `CREATE TEMP TABLE named AS SELECT bid, digest FROM belay.blobs;
  UPDATE belay.blobs SET digest = sha256(digest);
  UPDATE belay.blobs b SET digest = n.digest FROM named n WHERE b.bid <> n.bid`;
