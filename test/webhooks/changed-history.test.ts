import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { webhooks as printWebhooks } from "../../src/doors/cli/show/show-webhooks.ts";
import { recordSystemFact } from "../../src/service/record-system-fact.ts";
import { copyStore } from "../../src/store/copy/copy-store.ts";
import { createBacking, type MemoryBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { afterEachTest } from "../clean-up.ts";
import { openFiles } from "../conformance/open-files.ts";
import { until } from "../http/until.ts";
import { as, closePlaces, endSession, openPlace, type WebhookPlace } from "./open-place.ts";
import { endReceivers, Receiver } from "./receiver.ts";

afterEach(async () => {
  await closePlaces();
  await endReceivers();
});

const ann = as("ann");
const isAlive = () => true;

async function add({ service }: WebhookPlace, url: string) {
  return service.call("add_webhook", { url, on: ["session.completed"], allow_private: true }, ann);
}

async function stateOf({ service }: WebhookPlace) {
  const { webhooks } = await service.call("list_webhooks", {}, ann);
  return webhooks[0];
}

const idsOf = ({ received }: Receiver) => received.map(({ session_id }) => session_id);

describe("a webhook in a copy of the store", () => {
  it.each(["files", "sqlite"] as const)("continues where it was: %s", async (kind) => {
    const root = mkdtempSync(join(tmpdir(), "belay-copied-"));
    afterEachTest(() => rmSync(root, { recursive: true, force: true }));
    const first = await openSqliteStore({ folder: join(root, "first"), isAlive });
    const home = join(root, "home");
    const place = await openPlace({ store: first, home });
    const receiver = await Receiver.start();
    // Places in the copy differ, because the events of a purged session are not there.
    await endSession(place, "purged");
    const { entity_id } = await place.service.call("get", { id: "purged" }, ann);
    await first.purge(entity_id, Date.now());
    await add(place, receiver.url);
    const sending = place.send();
    await endSession(place, "number-1");
    await until(async () => (await stateOf(place))?.delivered === 1);
    await sending.stop();
    await endSession(place, "number-2");

    const folder = join(root, "second");
    const second =
      kind === "files"
        ? await openFiles({ folder, isAlive })
        : await openSqliteStore({ folder, isAlive });
    const source = await first.openSource();
    await copyStore(source, second);
    await source.close();
    const copied = await openPlace({ store: second, home });
    copied.send();
    await endSession(copied, "number-3");
    await until(() => receiver.received.length === 3);
    expect(idsOf(receiver)).toEqual(["number-1", "number-2", "number-3"]);
    expect(await stateOf(copied)).toMatchObject({ state: "active", history_changed: null });
  });
});

describe("a webhook whose history changed", () => {
  /** As in an older copy of the data: the events of these sessions never happened. */
  function forget(backing: MemoryBacking, keys: readonly string[]): void {
    for (const { id, key } of [...backing.streams.values()]) {
      if (!keys.includes(key)) continue;
      backing.streams.delete(id);
      const kept = backing.feed.filter((event) => event?.stream !== id);
      backing.feed.splice(0, backing.feed.length, ...kept);
    }
  }

  it.each([
    {
      lost: ["number-2"],
      continued: "after_delivery",
      also: ["number-k", "number-3"],
      says: "newest delivery",
    },
    {
      lost: ["number-1", "number-2"],
      continued: "at_end",
      also: ["number-3"],
      says: "with new events",
    },
  ] as const)("goes on: $continued", async ({ lost, continued, also, says }) => {
    const shared = createBacking();
    const home = mkdtempSync(join(tmpdir(), "belay-changed-"));
    const place = await openPlace({ store: openMemoryStore({ shared }), home });
    const receiver = await Receiver.start();
    await add(place, receiver.url);
    const sending = place.send();
    for (const [nth, id] of ["number-1", "number-2"].entries()) {
      await endSession(place, id);
      await until(() => receiver.received.length === nth + 1);
    }
    await until(async () => (await stateOf(place))?.delivered === 2);
    await sending.stop();
    await endSession(place, "number-k");
    forget(shared, lost);

    place.send();
    await until(async () => (await stateOf(place))?.history_changed?.continued === continued);
    await endSession(place, "number-3");
    await until(() => idsOf(receiver).includes("number-3"));
    expect(idsOf(receiver)).toEqual(["number-1", "number-2", ...also]);
    const list = await place.service.call("list_webhooks", {}, ann);
    expect(list.webhooks[0]).toMatchObject({ state: "active", history_changed: { continued } });
    const printed = printWebhooks(list, { columns: 200 });
    expect(printed).toContain("the stored history changed");
    expect(printed).toContain(says);
  });

  it("goes on too if its cursor is from before cursors named events", async () => {
    const shared = createBacking();
    const home = mkdtempSync(join(tmpdir(), "belay-changed-"));
    const place = await openPlace({ store: openMemoryStore({ shared }), home });
    const receiver = await Receiver.start();
    const { id: webhook_id } = await add(place, receiver.url);
    const data = { webhook_id, cursor: "f-1.7000.2" };
    const fact = { type: "webhook.advanced", data } as const;
    await recordSystemFact(place.context, ann, fact, place.context.newId());
    await endSession(place, "number-1");
    place.send();
    await until(() => receiver.received.length === 1);
    expect(await stateOf(place)).toMatchObject({
      history_changed: { continued: "after_creation" },
    });
  });
});
