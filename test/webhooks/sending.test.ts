import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { acquireLock } from "../../src/files/lock.ts";
import { importConversations } from "../../src/import/import-conversations.ts";
import { IMPORTERS } from "../../src/integrations/importers.ts";
import { pause } from "../../src/server/chores/chores.ts";
import { describeServing } from "../../src/server/describe-serving.ts";
import { postWebhook } from "../../src/server/webhooks/post-webhook.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { loadStream, readEvents } from "../../src/store/read-streams.ts";
import { until } from "../http/until.ts";
import { ClaudeLines } from "../import/conversations/claude-lines.ts";
import { lines } from "../import/conversations/import-place.ts";
import { MEASURED } from "../patience.ts";
import { as, closePlaces, endSession, openPlace, type WebhookPlace } from "./open-place.ts";
import { endReceivers, Receiver, standardSignature } from "./receiver.ts";

afterEach(async () => {
  await closePlaces();
  await endReceivers();
});

const ann = as("ann");
const HOUR = 3_600_000;

async function add(place: WebhookPlace, url: string, on = ["session.completed", "session.failed"]) {
  return place.service.call("add_webhook", { url, on, allow_private: true }, ann);
}

async function stateOf({ service }: WebhookPlace) {
  const { webhooks } = await service.call("list_webhooks", {}, ann);
  return webhooks[0];
}

describe("a webhook", () => {
  it("gets no events from before an import", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    await add(place, receiver.url);
    place.send();
    const claude = new ClaudeLines("11111111-aaaa-4bbb-8ccc-0000000000ee");
    claude.user("Hello?");
    claude.says("Hello.");
    const path = join(place.home, "old.jsonl");
    writeFileSync(path, lines(claude.records));
    const options = { path, dry_run: false, since: null };
    await importConversations(place.context, ann, IMPORTERS["claude-code"], options);
    expect((await place.service.call("get", { id: claude.session }, ann)).status).toBe("completed");
    await endSession(place, "second");
    await until(() => receiver.received.some(({ session_id }) => session_id === "second"));
    expect(receiver.received.map(({ session_id }) => session_id)).toEqual(["second"]);
  });

  it("gets only the requested events, signed, with session and event", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    await endSession(place, "before-it");
    const { secret = "" } = await add(place, receiver.url);
    place.send();
    const { session_id: id } = await place.service.call("create", { agent_name: "planner" }, ann);
    await place.service.call("suspend", { id }, ann);
    await place.service.call("resume", { id }, ann);
    await place.service.call("finalize", { id, outcome: "failed", error: "no disk" }, ann);
    await endSession(place, "second");
    await until(() => receiver.received.length === 2);

    const [first, second] = receiver.received;
    expect([first?.type, first?.session_id]).toEqual(["session.failed", id]);
    expect([second?.type, second?.session_id]).toEqual(["session.completed", "second"]);
    if (!first) throw new Error("nothing came");
    const { headers, text } = first;
    expect(headers["webhook-signature"]).toBe(standardSignature(secret, headers, text));
    expect(Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"]))).toBeLessThan(60);
    expect(JSON.parse(text)).toEqual({
      id: headers["webhook-id"],
      type: "session.failed",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: {
        session: expect.objectContaining({
          session_id: id,
          agent_name: "planner",
          status: "failed",
        }),
        event: expect.objectContaining({
          type: "session.failed",
          data: expect.objectContaining({ error: "no disk" }),
        }),
      },
    });
  });

  it.each([
    [
      "approval.requested",
      (service: WebhookPlace["service"], id: string) =>
        service.call("request_approval", { id, title: "May I?" }, ann),
    ],
    [
      "session.suspended",
      (service: WebhookPlace["service"], id: string) => service.call("suspend", { id }, ann),
    ],
  ] as const)("gets %s", async (type, happen) => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    await add(place, receiver.url, [type]);
    place.send();
    const { session_id } = await place.service.call("create", { agent_name: "a" }, ann);
    await happen(place.service, session_id);
    await until(() => receiver.received.length === 1);
    expect(receiver.received).toMatchObject([{ type, session_id }]);
  });

  it("gets an event for a session whose process died, once that is recorded", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    await add(place, receiver.url, ["session.recovered"]);
    place.send();
    const { service, context } = place;
    const created = await service.call("create", { agent_name: "a" }, ann);
    const { session_id: id, entity_id } = created;
    const dead = { name: "dead", pid: 2 ** 22 + 1, start_time: 1, boot_id: "another" };
    await acquireLease(context.store, entity_id, dead);
    await service.call("begin_action", { id, type: "deploy", effects: "remote" }, ann);
    await acquireLease(context.store, entity_id, dead);
    await service.call("recover", {}, ann);
    await until(() => receiver.received.length === 1);
    expect(receiver.received).toMatchObject([{ type: "session.recovered", session_id: id }]);
  });

  it("never gets events of another owner's sessions", async () => {
    const place = await openPlace();
    const [anns, bobs] = [await Receiver.start(), await Receiver.start()];
    const on = ["session.completed"];
    await add(place, anns.url, on);
    const theirs = { url: bobs.url, on, allow_private: true };
    await place.service.call("add_webhook", theirs, as("bob"));
    place.send();
    await endSession(place, "of-bob", "completed", "bob");
    await endSession(place, "of-ann");
    await until(() => anns.received.length > 0 && bobs.received.length > 0);
    expect(anns.received.map((each) => each.session_id)).toEqual(["of-ann"]);
    expect(bobs.received.map((each) => each.session_id)).toEqual(["of-bob"]);
  });

  it("of another owner cannot be seen, tested or removed", async () => {
    const place = await openPlace();
    const { id } = await add(place, "http://127.0.0.1:9/");
    const bob = as("bob");
    const listed = await place.service.call("list_webhooks", {}, bob);
    expect(listed).toEqual({ webhooks: [], accepted: [] });
    for (const name of ["remove_webhook", "test_webhook", "webhook_deliveries"] as const) {
      const refused = { code: "webhook_not_found" };
      await expect(place.service.call(name, { webhook: id }, bob)).rejects.toMatchObject(refused);
    }
    expect(await stateOf(place)).toMatchObject({ id });
  });

  it("that is added while the server runs gets events soon; a removed one gets none", async () => {
    const place = await openPlace();
    place.send();
    const receiver = await Receiver.start();
    const { id } = await add(place, receiver.url);
    await endSession(place, "first");
    await until(() => receiver.received.length === 1);
    await place.service.call("remove_webhook", { webhook: id }, ann);
    const other = await Receiver.start();
    await add(place, other.url);
    await endSession(place, "second");
    await until(() => other.received.length === 1);
    expect(receiver.received.map((each) => each.session_id)).toEqual(["first"]);
    expect(await place.service.call("list_webhooks", {}, ann)).toMatchObject({
      webhooks: [{ url: other.url }],
    });
  });

  it("continues at its position, past many events that are not for it", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    const webhook = await add(place, receiver.url);
    const sending = place.send();
    const { session_id: id } = await place.service.call("create", { agent_name: "a" }, ann);
    for (let nth = 0; nth < 700; nth += 1) {
      await place.service.call("update", { id, metadata: { nth } }, ann);
    }
    await endSession(place, "first");
    // Received does not mean acknowledged: stopped in between, it would be sent again.
    await until(async () => (await stateOf(place))?.delivered === 1);
    await sending.stop();
    const events = await readEvents(place.context.store, webhook.id, { after: 0, limit: 100 });
    expect(events.map(({ type }) => type)).toContain("webhook.advanced");
    await endSession(place, "second");
    place.send();
    await until(() => receiver.received.length === 2);
    expect(receiver.received.map((each) => each.session_id)).toEqual(["first", "second"]);
  });
});

describe("a receiver that fails", () => {
  it("is retried for a day, then parked and reported; a successful test delivers the rest", async () => {
    const place = await openPlace({ fake: true });
    const receiver = await Receiver.start();
    receiver.answer = () => 500;
    const { id } = await add(place, receiver.url);
    const began = place.clock.now;
    place.send();
    for (const name of ["first", "second", "third"]) await endSession(place, name);
    await until(async () => (await stateOf(place))?.state === "parked");

    const { slept, now } = place.clock;
    expect(slept.slice(0, 4)).toEqual([5000, 10_000, 20_000, 40_000]);
    expect(Math.max(...slept)).toBe(HOUR);
    expect((now - began) / HOUR).toBeGreaterThan(22);
    expect((now - began) / HOUR).toBeLessThanOrEqual(24);
    expect(new Set(receiver.received.map((each) => each.id)).size).toBe(1);
    expect(receiver.received.length).toBe(slept.length + 1);
    const tried = receiver.received.length;
    expect(await stateOf(place)).toMatchObject({
      delivered: 0,
      failing: { session_id: "first", attempts: tried, why: "it answered 500" },
      parked: { why: "it answered 500, for a day" },
    });
    const facts = await describeServing(place.context.store, place.home);
    expect(facts.find(({ name }) => name === "webhooks")).toMatchObject({
      ok: false,
      value: "1, 0 failing, 1 parked",
      fix: expect.stringContaining(`belay webhooks test ${id}`),
    });
    const told = await place.service.call("webhook_deliveries", { webhook: id, limit: 2 }, ann);
    expect(told.deliveries).toMatchObject([
      { session_id: "first", attempt: tried, status: 500, acknowledged: false },
      { session_id: "first", attempt: tried - 1, next_at: expect.any(String) },
    ]);

    await endSession(place, "fourth");
    expect(await place.service.call("test_webhook", { webhook: id }, ann)).toMatchObject({
      acknowledged: false,
      status: 500,
      resumed: false,
    });
    receiver.answer = () => 200;
    expect(await place.service.call("test_webhook", { webhook: id }, ann)).toMatchObject({
      acknowledged: true,
      status: 200,
      resumed: true,
    });
    await until(() => receiver.acknowledged.length === 5);
    expect(receiver.acknowledged.map((each) => each.session_id || each.type)).toEqual([
      "webhook.test",
      "first",
      "second",
      "third",
      "fourth",
    ]);
    // The last one is recorded after it was acknowledged.
    await until(async () => (await stateOf(place))?.delivered === 4);
    expect(await stateOf(place)).toMatchObject({ state: "active", failing: null });
  });

  it("that answers 410 is parked at once", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    receiver.answer = () => 410;
    await add(place, receiver.url);
    place.send();
    await endSession(place, "first");
    await until(async () => (await stateOf(place))?.state === "parked");
    expect(receiver.received).toHaveLength(1);
  });

  it("that answers with a redirect is not followed", async () => {
    const place = await openPlace();
    const [receiver, inside] = [await Receiver.start(), await Receiver.start()];
    receiver.answer = (_, response) => {
      response.writeHead(307, { location: inside.url }).end();
      return 307;
    };
    await add(place, receiver.url);
    place.send();
    await endSession(place, "first");
    await until(async () => (await stateOf(place))?.state === "failing");
    expect((await stateOf(place))?.failing?.why).toMatch("redirects are not followed");
    expect(inside.received).toEqual([]);
  });

  it("delays no session and no other webhook while it hangs", MEASURED, async () => {
    const place = await openPlace();
    const [hanging, quick] = [await Receiver.start(), await Receiver.start()];
    hanging.answer = () => null;
    await add(place, hanging.url);
    await add(place, quick.url);
    place.send();
    await endSession(place, "first");
    await until(() => hanging.received.length === 1);
    const began = performance.now();
    for (let nth = 0; nth < 20; nth += 1) await endSession(place, `later-${nth}`);
    await until(() => quick.received.length === 21);
    expect(performance.now() - began).toBeLessThan(5000);
    expect(hanging.received).toHaveLength(1);
  });

  it("is timed out, however it hangs", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    const { resolve } = place.context.webhooks ?? {};
    if (!resolve) throw new Error("no resolver");
    const signal = new AbortController().signal;
    const post = () =>
      postWebhook(
        { url: receiver.url, allow_private: true, headers: {}, body: "{}" },
        resolve,
        signal,
        300,
      );
    receiver.answer = () => null;
    expect(await post()).toMatchObject({ status: null, why: "it did not answer in time" });
    // Its acknowledgement counts, although its body never ends.
    receiver.answer = (_, response) => {
      response.writeHead(200).write("a");
      return 200;
    };
    const slow = await post();
    expect(slow).toMatchObject({ status: 200, why: null });
    expect(slow.duration_ms).toBeLessThan(2000);
    let written = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed || written > 50_000_000) return;
        written += 65_536;
        response.write(Buffer.alloc(65_536), more);
      };
      more();
      return 200;
    };
    expect(await post()).toMatchObject({ status: 200 });
    expect(written).toBeLessThan(20_000_000);
  });
});

describe("a secret", () => {
  it("is only in a file that only its owner can read", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    const made = await add(place, receiver.url);
    const secret = made.secret ?? "none";
    place.send();
    await endSession(place, "first");
    await until(() => receiver.received.length === 1);
    const file = join(place.home, "webhook-secrets.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(secret);
    const { store } = place.context;
    const shown = JSON.stringify([
      await place.service.call("list_webhooks", {}, ann),
      await place.service.call("webhook_deliveries", { webhook: made.id }, ann),
      await place.service.call("audit", {}, ann),
      await loadStream(store, { id: made.id }),
      await readEvents(store, made.id, { after: 0, limit: 100 }),
      place.logged,
      receiver.received,
    ]);
    expect(shown).not.toContain(secret.replace("whsec_", ""));
    await place.service.call("remove_webhook", { webhook: made.id }, ann);
    expect(readFileSync(file, "utf8")).not.toContain(secret);
  });

  it("that is given is used if it is valid, and not shown again", async () => {
    const place = await openPlace();
    const receiver = await Receiver.start();
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const wanted = { url: receiver.url, on: ["session.failed"], allow_private: true };
    for (const wrong of ["short", "whsec_", `whsec_${Buffer.alloc(23).toString("base64")}`, "é"]) {
      await expect(
        place.service.call("add_webhook", { ...wanted, secret: wrong }, ann),
      ).rejects.toMatchObject({ code: "invalid_input", details: { field: "secret" } });
    }
    const added = await place.service.call("add_webhook", { ...wanted, secret }, ann);
    expect(JSON.stringify(added)).not.toContain(secret);
    await place.service.call("test_webhook", { webhook: added.id }, ann);
    const [tested] = receiver.received;
    if (!tested) throw new Error("nothing came");
    const { headers, text } = tested;
    expect(headers["webhook-signature"]).toBe(standardSignature(secret, headers, text));
  });

  it("is not lost if another process stores one at the same time", async () => {
    const place = await openPlace();
    const file = join(place.home, "webhook-secrets.json");
    const other = acquireLock(`${file}.lock`);
    if (!("release" in other)) throw new Error("the lock is taken");
    const adding = add(place, "http://127.0.0.1:9/");
    await pause(200, new AbortController().signal);
    writeFileSync(file, '{"theirs":"whsec_kept"}');
    other.release();
    const { id, secret } = await adding;
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ theirs: "whsec_kept", [id]: secret });
  });

  it("that is lost parks its webhook", async () => {
    const place = await openPlace();
    const { id } = await add(place, (await Receiver.start()).url);
    await place.context.webhooks?.secrets.drop(id);
    place.send();
    await endSession(place, "first");
    await until(async () => (await stateOf(place))?.state === "parked");
    expect((await stateOf(place))?.parked?.why).toMatch("secret is missing");
  });
});
