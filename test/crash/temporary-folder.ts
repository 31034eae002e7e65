import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new folder that is gone when the tests of this file are done. Readable for all: what is inside has rights of its own. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "belay-crash-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
