import { describe, expect, it } from "vitest";
import { hintNext } from "../../src/doors/cli/hint-next.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openRecoveryLab, type RecoveryLab } from "../recovery/recovery-lab.ts";

/** The hint that a person sees after a command has changed the session. */
async function hintOf({ service, caller }: RecoveryLab, id: string): Promise<string> {
  let said = "";
  const terminal = {
    json: false,
    write(text: string): void {
      said += text;
    },
  };
  await hintNext(id, { service }, { terminal, caller });
  return said;
}

describe("the hint after a change", () => {
  it("suggests watching the agent if a process drives the session", async () => {
    const lab = await openRecoveryLab();
    const { entity_id } = await lab.create("driven-1");
    const holder = { name: "cli", pid: process.pid, start_time: null, boot_id: null };
    await acquireLease(lab.context.store, entity_id, holder);
    expect(await hintOf(lab, "driven-1")).toContain("belay attach driven-1");
  });

  it("names open questions", async () => {
    const lab = await openRecoveryLab();
    await lab.create("asking-1");
    const ask = { id: "asking-1", title: "May I?" };
    await lab.service.call("request_approval", ask, lab.caller);
    await lab.service.call("resume", { id: "asking-1" }, lab.caller);
    expect(await hintOf(lab, "asking-1")).toContain("1 open approval.");
  });

  it("names a recovery question first", async () => {
    const lab = await openRecoveryLab();
    await lab.create("cut-off-1");
    await lab.begin("cut-off-1", { type: "deploy", effects: "remote" });
    lab.wait(60);
    await lab.recover();
    expect(await hintOf(lab, "cut-off-1")).toContain("Answer the recovery question first");
  });
});
