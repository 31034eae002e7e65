import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { openFiles } from "../conformance/open-files.ts";

it("a stream that another process purges while the files are verified is not damaged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-verify-purged-"));
  const isAlive = () => true;
  const [store, other] = [
    await openFiles({ folder, isAlive }),
    await openFiles({ folder, isAlive }),
  ];
  try {
    for (const n of [1, 2]) await keep(store, begin(idOf(n)));
    // The streams are listed now, and read below.
    const inspecting = store.inspect();
    await other.purge(idOf(1), 1);
    const findings = [];
    for await (const finding of inspecting) findings.push(finding);
    expect(findings).toEqual([]);
  } finally {
    await store.close();
    await other.close();
    rmSync(folder, { recursive: true });
  }
});

it("a purged stream leaves neither its name nor that of a file behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-trace-purged-"));
  const store = await openFiles({ folder, isAlive: () => true });
  try {
    await keep(store, begin(idOf(1), { owner: "an-owner", key: "a-name" }));
    const put = await store.blobs?.put(idOf(1), [Buffer.from("the bytes of a file")]);
    const traces = ["an-owner", "a-name", String(put?.digest)];
    const found = () => traces.filter((trace) => textIn(folder).includes(trace));
    expect(found()).toEqual(traces);
    await store.purge(idOf(1), 1);
    await store.compact();
    expect(found()).toEqual([]);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

/** The names and contents of all files, except the lock's, which nobody may open. */
function textIn(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== "files.lock.db")
    .map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), "utf8"))
    .join("\n");
}
