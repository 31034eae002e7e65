import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BelayError } from "../../../src/contract/errors.ts";
import { begin, idOf, keep, textsOf, write } from "../../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../../src/store/postgres/open-postgres-store.ts";
import { readEvents } from "../../../src/store/read-streams.ts";
import { createPostgres } from "../../postgres/postgres-server.ts";
import { query } from "../../postgres/scene-databases.ts";

/**
 * Fills the disk of a server, and returns what was wrong: a change that was refused and kept, or acknowledged and lost.
 * Null if this user may not mount a small disk.
 */
export async function fillDisk(): Promise<string[] | null> {
  const disk = mkdtempSync(join(tmpdir(), "belay-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m,mode=755", "tmpfs", disk]);
  if (mounted.status !== 0) {
    rmSync(disk, { recursive: true });
    return null;
  }
  const server = await createPostgres();
  try {
    const { uid, gid } = statSync(server.folder);
    const place = join(disk, "tables");
    mkdirSync(place);
    chownSync(place, uid, gid);
    await server.start();
    await query(server.urlOf("postgres"), `CREATE TABLESPACE small LOCATION '${place}'`);
    await query(server.urlOf("postgres"), "CREATE DATABASE full_disk TABLESPACE small");
    writeFileSync(join(disk, "ballast"), Buffer.alloc(24 * 1024 * 1024));
    return await writeUntilFull(server.urlOf("full_disk"), () => rmSync(join(disk, "ballast")));
  } finally {
    await server.remove();
    spawnSync("umount", [disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

async function writeUntilFull(url: string, makeRoom: () => void): Promise<string[]> {
  const wrong: string[] = [];
  const store = await openPostgresStore({ url, isAlive: () => true, busyMs: 2000 });
  try {
    const id = idOf(1);
    await keep(store, begin(id));
    const acknowledged: string[] = [];
    const add = async (): Promise<unknown> => {
      const text = `${acknowledged.length} ${Math.random()} ${"x".repeat(100_000)}`;
      try {
        await store.transact(write(id, { lines: [text] }));
        acknowledged.push(text);
        return null;
      } catch (error) {
        return error;
      }
    };
    let error: unknown = null;
    for (let tries = 0; tries < 1000 && error === null; tries += 1) error = await add();
    if (!(error instanceof BelayError) || error.code !== "storage_full") {
      wrong.push(`a full disk is reported as ${error}`);
    }
    makeRoom();
    for (let n = 0; n < 5; n += 1) if ((await add()) !== null) wrong.push("it does not go on");
    const kept = textsOf(await readEvents(store, id, { after: 0, limit: 9999 }));
    const lines = kept.map(String).filter((text) => text.length > 1000);
    if (lines.join() !== acknowledged.join()) wrong.push("it has not what it acknowledged");
  } finally {
    await store.close();
  }
  return wrong;
}
