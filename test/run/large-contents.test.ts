import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/contract/is-record.ts";
import { openLab } from "./run-lab.ts";

describe("a state that is too long for an event", () => {
  it("is stored beside the log, shown and restored completely, and found by its entities", async () => {
    const { belay } = await openLab();
    const { session_id: id } = await belay.sessions.create({ agent_name: "reviewer" });
    const rows = Array.from({ length: 60_000 }, (_, n) => `line ${n} of a long state`);
    const state = { plan: { plan_id: "plan-7" }, rows };
    await belay.checkpoints.save({ id, name: "long", state });
    await belay.checkpoints.save({ id, name: "short", state: { a: 1 } });
    expect((await belay.checkpoints.show({ id, name: "long" })).state).toEqual(state);
    const fork = await belay.sessions.fork({ id });
    const restored = await belay.checkpoints.restore({ id: fork.session_id, name: "long" });
    expect(restored.state).toEqual(state);
    const saved = (await logOf(belay, id)).filter(({ type }) => type === "checkpoint.saved");
    expect(saved).toMatchObject([
      {
        data: { state: {}, state_file: { size: expect.any(Number) }, entities: ["entity:plan-7"] },
      },
      { data: { state: { a: 1 } } },
    ]);
    const timeline = await belay.past.timeline({ entity_id: "plan-7" });
    expect(JSON.stringify(timeline)).toContain(id);
  });

  it("leaves nothing behind if its checkpoint is refused", async () => {
    const { belay } = await openLab();
    const { session_id: id } = await belay.sessions.create({ agent_name: "reviewer" });
    const state = { text: "x".repeat(400_000) };
    await belay.checkpoints.save({ id, name: "kept", state: { ...state, n: 1 } });
    await belay.sessions.cancel({ id });
    await expect(
      belay.checkpoints.save({ id, name: "late", state: { ...state, n: 2 } }),
    ).rejects.toMatchObject({ code: "session_cancelled" });
    expect((await belay.checkpoints.show({ id, name: "kept" })).state).toMatchObject({ n: 1 });
    expect(await belay.maintenance.verify()).toMatchObject({ ok: true, findings: [] });
  });
});

describe("a result that is too long for the log", () => {
  it("is stored in a file of the session, with an excerpt in the log", async () => {
    const { belay, cwd } = await openLab();
    const text = Array.from({ length: 600 }, (_, n) => `row ${n} of the file`).join("\n");
    writeFileSync(join(cwd, "long.txt"), text);
    let id = "";
    for await (const event of belay.run({ agent: "agent", message: "/read long.txt", cwd })) {
      if ("session_id" in event && typeof event.session_id === "string") id = event.session_id;
    }
    const ended = (await logOf(belay, id)).find(({ type }) => type === "action.completed");
    const details = isRecord(ended?.data) && isRecord(ended.data.details) ? ended.data.details : {};
    expect(String(details.output).length).toBeLessThan(10_000);
    expect(details).not.toHaveProperty("whole_output");
    const file = isRecord(details.output_file) ? details.output_file : {};
    const { bytes } = await belay.files.read({ id, digest: String(file.digest) });
    let read = "";
    for await (const chunk of bytes()) read += Buffer.from(chunk).toString();
    expect(read).toContain("row 0 of the file");
    expect(read).toContain("row 300 of the file");
    expect(read).toContain("row 599 of the file");
  });
});

async function logOf(belay: Awaited<ReturnType<typeof openLab>>["belay"], id: string) {
  return (await belay.sessions.log({ id, limit: 1000 })).events;
}
