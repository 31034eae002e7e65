import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRecoverySettings } from "../../src/drive/recovery/ask-remote.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "belay-settings-"));
});
afterEach(() => rmSync(home, { recursive: true }));

it.each([
  ['{\n "alive": }', "not JSON at line 2, column 11"],
  ["[]", "it must be an object"],
  ['{"alive": "maybe"}', 'alive must be "wait" or "rerun"'],
  ['{"status": {"deploy": 5}}', "status.deploy must be a command, as text"],
  ['{"status": []}', "status must be an object"],
  ['{"statuses": {}}', 'unknown setting "statuses"'],
])("an invalid recovery.json is reported with its position and a hint: %s", (text, why) => {
  writeFileSync(join(home, "recovery.json"), text);
  expect(() => readRecoverySettings(home)).toThrow(
    `Invalid recovery settings in ${join(home, "recovery.json")}: ${why}. Correct the file, or remove it`,
  );
});

it("a valid setting is used, and none means the defaults", () => {
  expect(readRecoverySettings(home)).toEqual({ status: {}, alive: "wait", continue: true });
  writeFileSync(join(home, "recovery.json"), '{"alive": "rerun"}');
  expect(readRecoverySettings(home)).toEqual({ status: {}, alive: "rerun", continue: true });
});
