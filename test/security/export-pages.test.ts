import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultOwner } from "../../src/service/home-folder.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { as, closePlaces, openPlace, type WebhookPlace } from "../webhooks/open-place.ts";

/** A redacted export of many pages hides a password everywhere, on whichever page it is recognised. */

const ANN = as(defaultOwner());
const id = "long-session";
const FIRST = "sunflower-field-1";
const LAST = "tangerine-grove-2";

let place: WebhookPlace;

beforeAll(async () => {
  place = await openPlace();
  await place.service.call("create", { agent_name: "a", session_id: id }, ANN);
  await record(`password=${FIRST}, and ${LAST} works too`);
  for (let n = 0; n < 600; n += 1) await record(`turn ${n}`);
  await record(`connected as ${FIRST}; password=${LAST}`);
});

afterAll(closePlaces);

describe("a session with more events than a page", () => {
  it.each(["markdown", "ndjson"])("is exported as %s without its passwords", async (format) => {
    const file = join(temporaryFolder(), "export");
    const args = ["export", id, "--redact", "--format", format, "--out", file];
    expect((await runInProcess(place.home, args, false)).code).toBe(0);
    const text = readFileSync(file, "utf8");
    expect(text).toContain("turn 599");
    expect(text).toContain("connected as [redacted:known]");
    expect(text).not.toMatch(/sunflower|tangerine/);
  });

  it("is exported without a password that was recognised after the first page was read", async () => {
    const first = await page(0);
    await record("password=meadow-at-dawn-3");
    await record("and meadow-at-dawn-3 again");
    const texts = [JSON.stringify(first)];
    for (let after = first.next_cursor; after !== null; ) {
      const next = await page(after);
      texts.push(JSON.stringify(next));
      after = next.next_cursor;
    }
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.join("")).not.toMatch(/sunflower|tangerine|meadow/);
  });
});

function page(after: number) {
  return place.service.call("export", { id, redact: true, after, limit: 50 }, ANN);
}

async function record(input: string): Promise<void> {
  await place.service.call("record_turn", { id, input, output: "ok" }, ANN);
}
