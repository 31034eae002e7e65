import { BelayError, refuse } from "../../../contract/errors.ts";
import { integerIn } from "../database/columns.ts";
import type { DataFolder } from "../database/data-folder.ts";
import { openDatabase } from "../database/open-database.ts";
import { retryBusy } from "../database/retry-busy.ts";

/** How long to retry while other processes use the data. */
const BUSY_MS = 10_000;

/**
 * Rewrites every page and empties the write-ahead log. SQLite only marks deleted bytes as free, and
 * the log still holds old versions of pages.
 */
export async function compactDatabase(files: DataFolder): Promise<void> {
  const database = await retryBusy(BUSY_MS, () =>
    openDatabase(files, { readOnly: false, synchronous: "FULL" }),
  );
  try {
    await retryBusy(BUSY_MS, () => {
      database.exec("VACUUM");
      const row = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
      if (integerIn(row, "busy", null) === 0) return;
      const message =
        "Another process is using the data. Stop the server and other Belay processes, then run: belay compact";
      throw new BelayError(refuse("store_busy", message));
    });
  } finally {
    database.close();
  }
}
