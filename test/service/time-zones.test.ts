import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readInstant } from "../../src/contract/read-instant.ts";
import { readTime } from "../../src/integrations/copilot/copilot-words.ts";
import { importGaia } from "../../src/integrations/gaia/import-gaia.ts";
import { newId } from "../../src/service/new-id.ts";
import { onMemory } from "./on-memory.ts";

const TEN = Date.parse("2026-01-08T10:00:00Z");

describe("on a machine in New York, a time without a zone", () => {
  beforeEach(() => {
    vi.stubEnv("TZ", "America/New_York");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("is UTC in any notation, and a time with a zone is in that zone", () => {
    // The machine's own parsing differs, so the zone took effect.
    expect(Date.parse("2026-01-08T10:00:00")).toBe(TEN + 5 * 3_600_000);
    for (const text of [
      "2026-01-08T10:00",
      "2026-01-08 10:00:00",
      "2026-01-08T10:00:00.000",
      "2026-01-08T10:00:00Z",
      "2026-01-08T12:00:00+02:00",
      "2026-01-08T05:00:00-0500",
      "Jan 8 2026 10:00",
      "Thu, 08 Jan 2026 10:00:00 GMT",
      "Thu Jan 08 2026 05:00:00 GMT-0500 (Eastern Standard Time)",
    ]) {
      expect([text, readInstant(text)]).toEqual([text, TEN]);
      expect(readTime(text)).toBe(TEN);
    }
    expect(readInstant("2026-01-08")).toBe(Date.parse("2026-01-08T00:00:00Z"));
    expect(readInstant("2026-02-30T25:00")).toBeNaN();
    expect(readInstant(`${":00".repeat(1_000_000)}x`)).toBeNaN();
  });

  it("is UTC for every operation", async () => {
    const { service, caller } = onMemory();
    await service.call(
      "submit_observation",
      {
        session_id: "abc123",
        actions: [{ type: "deploy", result: "ok", timestamp: "2026-01-08T10:00:00" }],
        started_at: "2026-01-08T09:00:00",
      },
      caller,
    );
    const asked = async (times: object) =>
      (await service.call("timeline", { entity_id: "abc123", ...times }, caller)).events.map(
        ({ type }) => type,
      );
    expect(await asked({ start_date: "2026-01-08T10:00", end_date: "2026-01-08T10:00" })).toEqual([
      "action",
    ]);
    await service.call("create", { agent_name: "a", session_id: "later" }, caller);
    const suspended = await service.call(
      "suspend",
      { id: "later", until: "2026-01-09T10:00" },
      caller,
    );
    expect(suspended.suspended_until).toBe("2026-01-09T10:00:00.000Z");
    const asking = { id: "abc123", title: "Go?", expires_at: "2026-01-09T10:00" };
    const approval = await service.call("request_approval", asking, caller);
    expect(approval.expires_at).toBe("2026-01-09T10:00:00.000Z");
  });

  it("is UTC in the files of other tools", async () => {
    const folder = mkdtempSync(join(tmpdir(), "belay-zones-"));
    try {
      mkdirSync(join(folder, "agent-20260108"));
      const at = "2026-01-08T10:00:00";
      const state = {
        agent_id: "agent-20260108",
        agent_name: "a",
        created_at: at,
        last_updated: at,
        phase: "planning",
        history: [{ from_phase: "initializing", to_phase: "planning", timestamp: at }],
      };
      writeFileSync(join(folder, "agent-20260108", "state.json"), JSON.stringify(state));
      const { store, service, caller } = onMemory();
      const report = await importGaia({ store, now: () => TEN, newId }, caller, folder);
      expect(report.imported).toEqual(["agent-20260108"]);
      const { created_at } = await service.call("get", { id: "agent-20260108" }, caller);
      expect(created_at).toBe("2026-01-08T10:00:00.000Z");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
