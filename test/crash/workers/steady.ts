import { setImmediate as nextRound } from "node:timers/promises";
import { createService } from "../../../src/compose-service.ts";
import { newId } from "../../../src/service/new-id.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

/** Appends to one session without a pause until it is stopped. The control "deaf" ignores notes of other processes. */
const [, , home = "", id = "", mode = "fair"] = process.argv;
const { notes, ...store } = await openSqliteStore({ folder: home, isAlive: () => true });
const heard = mode === "deaf" || !notes ? store : { ...store, notes };
const service = createService({ store: heard, now: Date.now, newId });
const caller = { owner: "local", actor: "worker", interface: "library", trace_id: null } as const;
await whenAllAreReady();

let isStopped = false;
process.once("message", () => {
  isStopped = true;
});
let written = 0;
let slowest = 0;
while (!isStopped) {
  const began = performance.now();
  await service.call("update", { id, metadata: { at: Math.random() } }, caller);
  slowest = Math.max(slowest, performance.now() - began);
  written += 1;
  await nextRound();
}
await store.close();
reportBack({ written, slowest });
