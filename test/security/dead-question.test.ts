import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { identifyProcess, isAlive } from "../../src/process/process-identity.ts";
import { acquireLease, releaseLease } from "../../src/store/leases.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { openLab, openQuestion } from "../run/run-lab.ts";
import { runWorker } from "../run/run-worker.ts";

const launcher = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));

it("a question whose process was killed is expired at every door, recovered or not", async () => {
  const lab = await openLab();
  const { belay, home } = lab;
  const worker = runWorker(home, "/ask May I?", "", lab.cwd);
  const id = String((await worker.hear("permission")).session_id);
  const { approval_id } = await openQuestion(lab, id);
  expect(await belay.sessions.get({ id })).toMatchObject({ activity: "needs_you" });
  expect(await belay.approvals.list({})).toMatchObject({ approvals: [{ answerable: true }] });
  await worker.kill();

  // At the first read, before anything was recovered.
  expect(await belay.sessions.get({ id })).toMatchObject({
    activity: "interrupted",
    status: "active",
  });
  expect(await belay.sessions.list({})).toMatchObject({ sessions: [{ activity: "interrupted" }] });
  expect(await belay.approvals.list({})).toMatchObject({ approvals: [{ answerable: false }] });
  const refused = { code: "approval_closed", details: { approval_id } };
  for (const decision of ["approved", "rejected"] as const) {
    await expect(belay.approvals.decide({ approval_id, decision })).rejects.toMatchObject(refused);
  }
  const typed = spawnSync(process.execPath, [launcher, "approve", approval_id], {
    encoding: "utf8",
    env: { ...process.env, BELAY_HOME: home },
  });
  expect(typed.status).toBe(4);
  expect(typed.stderr).toContain("The process that asked has ended");
  expect(typed.stderr).toContain("Send the message again");

  // The current holder of the session did not ask.
  const store = await openSqliteStore({ folder: home, isAlive });
  const { entity_id } = await belay.sessions.get({ id });
  const holder = { name: "recovery", ...identifyProcess(process.pid) };
  const grant = await acquireLease(store, entity_id, holder);
  if (!grant.granted) throw new Error("the lease of a dead driver was not granted");
  await expect(belay.approvals.decide({ approval_id, decision: "approved" })).rejects.toMatchObject(
    refused,
  );
  expect(await belay.approvals.list({})).toMatchObject({ approvals: [{ answerable: false }] });
  await releaseLease(store, entity_id, grant.epoch);
  await store.close();

  await belay.recovery.run({ id });
  await expect(belay.approvals.decide({ approval_id, decision: "approved" })).rejects.toMatchObject(
    refused,
  );
  expect(await belay.approvals.list({})).toMatchObject({ approvals: [] });
  const { events } = await belay.sessions.log({ id });
  expect(events.map(({ type }) => type)).not.toContain("approval.decided");
});
