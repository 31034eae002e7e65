import { appendFileSync } from "node:fs";
import {
  begin,
  blindly,
  idOf,
  keep,
  moreLines,
  newNotebook,
  write,
} from "../../../src/store/conformance/notebook.ts";
import { openFilesStore } from "../../../src/store/files/open-files-store.ts";
import { acquireLease } from "../../../src/store/leases.ts";

/**
 * One of every kind of write to a store in files: streams, transactions of two streams, a fork, a lease, a blob, a purge
 * and a snapshot. Each line of the second argument names something that was acknowledged; "hasty" names it too early.
 */
const [, , folder = "", said = "", mode = ""] = process.argv;
const store = await openFilesStore({ folder, isAlive: () => true });
const [A, B, C, D] = [idOf(1), idOf(2), idOf(3), idOf(4)];

await done("pair 1", () => store.transact(blindly(newNotebook(A), newNotebook(B))));
for (let n = 2; n <= 4; n += 1) await pair(n);
await done("fork", () => keep(store, begin(C, { base: { id: A, seq: 2 }, lines: ["of a fork"] })));
await done("lease", () =>
  acquireLease(store, A, { name: "ann", pid: 1, start_time: null, boot_id: null }),
);
await done("blob", () => store.blobs?.put(A, [Buffer.from("the bytes of a file")]));
await keep(store, begin(D, { lines: ["to be forgotten"] }));
await done("purge", () => store.purge(D, 1_700_000_000_000));
await store.compact();
for (let n = 5; n <= 6; n += 1) await pair(n);
await Promise.all(
  [write(C, { lines: ["x"] }), write(C, { lines: ["y"] })].map((each) => keep(store, each)),
);
await store.close();

function pair(n: number): Promise<void> {
  const lines = [`line ${n}`];
  const appends = [A, B].map((id) => moreLines({ id, seq: n - 1 }, { lines }));
  return done(`pair ${n}`, () => store.transact(blindly(...appends)));
}

async function done(what: string, work: () => Promise<unknown> | undefined): Promise<void> {
  if (mode === "hasty") appendFileSync(said, `${what}\n`);
  await work();
  if (mode !== "hasty") appendFileSync(said, `${what}\n`);
}
