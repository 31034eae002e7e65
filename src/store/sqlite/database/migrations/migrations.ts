import type { Connection } from "../connection.ts";
import { streams } from "./0001-streams.ts";
import { unsettled } from "./0002-unsettled.ts";
import { pinned } from "./0003-pinned.ts";
import { views } from "./0004-views.ts";
import { blobs } from "./0005-blobs.ts";
import { bytes } from "./0006-bytes.ts";
import { openedRows } from "./0007-opened-rows.ts";
import { hotPaths } from "./0008-hot-paths.ts";

/** The n-th migration produces database version n. A released migration is never edited. */
export const MIGRATIONS: readonly (string | ((db: Connection) => void))[] = [
  streams,
  unsettled,
  pinned,
  views,
  blobs,
  bytes,
  openedRows,
  hotPaths,
];
