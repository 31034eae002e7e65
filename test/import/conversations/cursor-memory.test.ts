import { expect, it } from "vitest";
import { CALLER, ImportPlace, lines } from "./import-place.ts";

it("submits the sessions in Cursor's memory as observations, once", async () => {
  const place = new ImportPlace();
  const folder = ".cursor/memory/sessions";
  const action = {
    type: "create_feature_unit",
    result: "success",
    details: { feature_unit_id: "FU-061" },
  };
  place.write(
    `${folder}/whole.json`,
    JSON.stringify({
      ...{ session_id: "abc123", actions: [action], mood: "good" },
      ...{ started_at: "2025-12-31T11:00:00Z", ended_at: "2025-12-31T12:00:00Z" },
    }),
  );
  place.write(
    `${folder}/steps-7.ndjson`,
    lines([
      { type: "run_tests", result: "passed", timestamp: "2025-12-31T13:00:00Z" },
      { type: "commit", result: "success", timestamp: "2025-12-31T13:05:00Z" },
    ]),
  );
  place.write(
    `${folder}/notes-9.md`,
    [
      "---",
      "session_id: notes-9",
      'started_at: "2025-12-31T14:00:00Z"',
      "duration: 60",
      "---",
      "# Actions",
      "- 2025-12-31T14:00:10Z validate: warning",
      "## Outcomes",
      "- feature_unit_created: FU-061",
      "",
    ].join("\n"),
  );
  place.write(`${folder}/bad.json`, JSON.stringify({ session_id: "x" }));
  const report = await place.import("cursor");
  expect(report).toMatchObject({ new_sessions: 3 });
  expect(report.damage.map(({ why }) => why).toSorted()).toEqual([
    "session_id must be at least 5 characters",
    "unknown field mood was ignored",
  ]);
  const { events } = await place.service.call("timeline", { entity_id: "FU-061" }, CALLER);
  expect(new Set(events.map(({ session_id }) => session_id))).toEqual(
    new Set(["abc123", "notes-9"]),
  );
  const { sessions } = await place.service.call("history", { session_id: "steps-7" }, CALLER);
  expect(sessions[0]?.snapshot.actions.map(({ type }) => type)).toEqual(["run_tests", "commit"]);
  const before = await place.log("abc123");
  expect(await place.import("cursor")).toMatchObject({ new_sessions: 0, grown_sessions: 0 });
  expect(await place.log("abc123")).toEqual(before);
  place.remove();
});
