import { mkdtempSync, rmSync } from "node:fs";
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
