import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AlterBlobs } from "../../src/store/conformance/suite.ts";

/* Ways to alter stored blobs behind the back of their store. */

export const alterSqliteBlobs: AlterBlobs = (folder, how) => {
  const db = new DatabaseSync(join(folder, "belay.db"));
  try {
    if (how === "change a byte") {
      for (const { bid, nth, bytes } of db.prepare("SELECT * FROM blob_chunks").all()) {
        if (!(bytes instanceof Uint8Array)) throw new Error("the chunk has no bytes");
        const update = db.prepare("UPDATE blob_chunks SET bytes = ? WHERE bid = ? AND nth = ?");
        update.run(changeByte(bytes), Number(bid), Number(nth));
      }
      return;
    }
    const [one, other] = db.prepare("SELECT bid, digest FROM blobs").all();
    const name = db.prepare("UPDATE blobs SET digest = ? WHERE bid = ?");
    name.run(Buffer.alloc(32), Number(one?.bid));
    name.run(one?.digest ?? null, Number(other?.bid));
    name.run(other?.digest ?? null, Number(one?.bid));
  } finally {
    db.close();
  }
};

export const alterFilesBlobs: AlterBlobs = (folder, how) => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /blobs\/[0-9a-f]{64}$/.test(path))
    .map((path) => join(folder, path));
  if (how === "change a byte") {
    for (const file of files) writeFileSync(file, changeByte(readFileSync(file)));
    return;
  }
  const [one = "", other = ""] = files;
  for (const end of ["", ".json"]) {
    renameSync(`${one}${end}`, join(folder, "other"));
    renameSync(`${other}${end}`, `${one}${end}`);
    renameSync(join(folder, "other"), `${other}${end}`);
  }
};

/** Changes the last byte. */
export function changeByte(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
}
