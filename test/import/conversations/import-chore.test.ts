import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { importChore } from "../../../src/integrations/serve-imports.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { CALLER, ImportPlace, lines } from "./import-place.ts";

it("a server continues to import while the other tool writes, and waits for a tool that is missing", async () => {
  const place = new ImportPlace();
  const places = { env: {}, userHome: place.folder, owner: "local" };
  const [chore] = importChore(place.context, places, ["claude-code"]);
  const run = () => chore?.run(AbortSignal.timeout(10_000));
  expect(await run()).toMatchObject({ counts: { turns: 0 } });
  const claude = new ClaudeLines("11111111-aaaa-4bbb-8ccc-00000000000c");
  claude.user("One?");
  claude.says("One.");
  const file = place.write(`.claude/projects/p/${claude.session}.jsonl`, lines(claude.records));
  expect(await run()).toMatchObject({ counts: { turns: 1 } });
  expect(await run()).toMatchObject({ counts: { turns: 0 } });
  claude.user("Two?");
  claude.says("Two.");
  appendFileSync(file, lines(claude.records.slice(2)));
  expect(await run()).toMatchObject({ counts: { turns: 1 } });
  expect(await place.told(claude.session)).toEqual(["One? | One.", "Two? | Two."]);
  place.remove();
});

it("a turn that was unfinished is imported later although its file did not change", async () => {
  const place = new ImportPlace();
  const places = { env: {}, userHome: place.folder, owner: "local" };
  const [chore] = importChore(place.context, places, ["claude-code"]);
  const run = () => chore?.run(AbortSignal.timeout(10_000));
  const claude = new ClaudeLines("11111111-aaaa-4bbb-8ccc-00000000000d");
  const timestamp = new Date().toISOString();
  claude.user("One?", { timestamp });
  claude.says("One.", { timestamp });
  claude.user("Two?", { timestamp });
  place.write(`.claude/projects/p/${claude.session}.jsonl`, lines(claude.records));
  place.now = Date.now();
  expect(await run()).toMatchObject({ counts: { turns: 1 } });
  expect(await run()).toMatchObject({ counts: { turns: 0 } });
  place.now += 3_600_000;
  expect(await run()).toMatchObject({ counts: { turns: 1 } });
  const session = await place.service.call("get", { id: claude.session }, CALLER);
  expect(session.status).toBe("completed");
  place.remove();
});
