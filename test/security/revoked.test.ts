import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admitDelivery } from "../../src/server/webhooks/admit-delivery.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import type { Transaction } from "../../src/store/stream-store.ts";
import { openServer } from "../http/open-server.ts";
import { begin, openLive } from "../http/streams/live-server.ts";
import { until } from "../http/until.ts";
import { as, closePlaces, endSession, openPlace } from "../webhooks/open-place.ts";
import { endReceivers, Receiver } from "../webhooks/receiver.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

describe("access that is removed during a request", () => {
  const ENDS: Readonly<Record<string, (service: BelayService, id: string) => Promise<unknown>>> = {
    unshared: (service, id) => service.call("unshare", { id, with: "bob" }, ROOT),
    "in a lower role": (service, id) => service.call("share", { id, with: "bob" }, ROOT),
    deleted: (service, id) => service.call("delete", { id }, ROOT),
    "the person disabled": (service) => service.call("disable_person", { name: "bob" }, ROOT),
  };

  const cases = ["suspend", "fork"].flatMap((command) =>
    Object.entries(ENDS).map(([name, end]) => [command, name, end] as const),
  );

  it.each(cases)("is checked again inside the transaction for %s: %s", async (command, _, end) => {
    // Between the check and the transaction that appends.
    let between: (() => Promise<unknown>) | null = null;
    const server = await openServer({
      wrap: (store) => ({
        transact: async (transaction: Transaction) => {
          const work = between;
          const isCommand = transaction.idempotency?.scope.includes(command) ?? false;
          if (work && (isCommand || transaction.idempotency === undefined)) {
            between = null;
            await work();
          }
          return store.transact(transaction);
        },
        read: (reads, bytes) => store.read(reads, bytes),
        list: (query) => store.list(query),
        tally: (kind, owner) => store.tally(kind, owner),
        readFeed: (query) => store.readFeed(query),
        findInFeed: (sought) => store.findInFeed(sought),
        findByName: (owner, name, page) => store.findByName(owner, name, page),
        watch: (onChange, stream) => store.watch(onChange, stream),
        lease: (id, request) => store.lease(id, request),
        purge: (id, at) => store.purge(id, at),
        close: () => store.close(),
        ...(store.blobs && { blobs: store.blobs }),
      }),
    });
    const { service } = server;
    await service.call("add_person", { name: "bob" }, ROOT);
    const token = (await server.makeToken("bob", "write")).token;
    const { session_id: id } = await service.call("create", { agent_name: "elsewhere" }, ROOT);
    await service.call("update", { id, phase: "planning" }, ROOT);
    await service.call("share", { id, with: "bob", role: "editor" }, ROOT);
    const path = `/sessions/${encodeURIComponent(`ann/${id}`)}`;
    // It is on record that bob saw it, so that the next transaction is that of the command.
    expect((await server.ask("GET", path, { token })).status).toBe(200);
    between = () => end(service, id);
    const asked = await server.ask("POST", `${path}/${command}`, { token });
    expect(between).toBeNull();
    expect([asked.status, asked.json]).toMatchObject([404, { error: "session_not_found" }]);
    expect((await service.call("get", { id }, ROOT)).status).not.toBe("suspended");
    const bobs = await service.call("list", {}, { ...ROOT, owner: "bob" });
    expect(bobs.sessions.filter(({ owner }) => owner === "bob")).toEqual([]);
  });
});

describe("a subscription of GraphQL", () => {
  it("ends within two seconds after the share is removed", async () => {
    const server = await openServer();
    const { service } = server;
    await service.call("add_person", { name: "bob" }, ROOT);
    const token = (await server.makeToken("bob", "read")).token;
    const { session_id: id } = await service.call("create", { agent_name: "elsewhere" }, ROOT);
    await service.call("share", { id, with: "bob" }, ROOT);
    const query = `subscription { agentSessionEvents(sessionId: "ann/${id}") { type } }`;
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: {
        accept: "text/event-stream",
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ query }),
    });
    let text = "";
    let start = 0;
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (start > 0 || !text.includes("session.shared")) continue;
      start = Date.now();
      await service.call("unshare", { id, with: "bob" }, ROOT);
      await service.call("rename", { id, title: "zebrafish" }, ROOT);
    }
    expect(start).toBeGreaterThan(0);
    expect(Date.now() - start).toBeLessThan(2000);
    expect(text).not.toContain("session.renamed");
  });
});

describe("a person who is disabled", () => {
  it("has no running agent a moment later", async () => {
    const server = await openLive();
    const { service } = server;
    await service.call("add_person", { name: "eve", role: "admin" }, ROOT);
    const token = (await server.makeToken("eve", "write")).token;
    const id = await begin(server, token);
    const body = { message: "/slow 60000", wait: false };
    await server.ask("POST", `/sessions/${id}/messages`, { token, body });
    const eve = { ...ROOT, owner: "eve" };
    const driver = async () => (await service.call("get", { id }, eve)).driver;
    await until(async () => (await driver()) !== null);
    expect(await server.runner.endRefused(ROOT)).toBe(0);
    await service.call("disable_person", { name: "eve" }, ROOT);
    expect(await server.runner.endRefused({ ...ROOT, actor: "belay" })).toBe(1);
    const after = await service.call("get", { id }, eve);
    expect([after.status, after.driver]).toEqual(["suspended", null]);
  });

  it.each([
    ["disabled", (service) => service.call("disable_person", { name: "bob" }, as("ann"))],
    [
      "demoted",
      (service) => service.call("add_person", { name: "bob", role: "member" }, as("ann")),
    ],
  ] satisfies [string, (service: BelayService) => Promise<unknown>][])(
    "gets nothing from webhooks, and none of their incoming webhooks is accepted: %s",
    async (_, end) => {
      try {
        const place = await openPlace();
        const { service, context } = place;
        await service.call("add_person", { name: "bob", role: "admin" }, as("ann"));
        const receiver = await Receiver.start();
        const bob = as("bob");
        const on = ["session.completed"];
        await service.call("add_webhook", { url: receiver.url, on, allow_private: true }, bob);
        const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
        const accepted = { name: "in", preset: "json", agent_name: "a", message: "x", secret };
        await service.call("accept_webhook", accepted, bob);
        const admit = () => {
          const [id, at, text] = ["1", String(Math.floor(Date.now() / 1000)), "{}"];
          const signed = createHmac("sha256", Buffer.alloc(32, 7)).update(`${id}.${at}.${text}`);
          const headers = {
            "webhook-id": id,
            "webhook-timestamp": at,
            "webhook-signature": `v1,${signed.digest("base64")}`,
          };
          return admitDelivery(context, "in", headers, Buffer.from(text));
        };
        expect(await admit()).toMatchObject({ owner: "bob" });
        place.send();
        await endSession(place, "before", "completed", "bob");
        await until(() => receiver.received.length === 1);
        await end(service);
        expect(await admit()).toBeNull();
        await endSession(place, "after", "completed", "bob");
        // A later delivery to another webhook shows that this one was skipped.
        const other = await Receiver.start();
        await service.call("add_webhook", { url: other.url, on, allow_private: true }, as("ann"));
        await endSession(place, "anns-one");
        await until(() => other.received.length === 1);
        expect(receiver.received.length).toBe(1);
      } finally {
        await closePlaces();
        await endReceivers();
      }
    },
  );
});

describe("a webhook", () => {
  it("gets events of sessions that are shared with its owner, while they are shared", async () => {
    try {
      const place = await openPlace();
      const { service } = place;
      const ann = as("ann");
      await service.call("add_person", { name: "bob", role: "admin" }, ann);
      const receiver = await Receiver.start();
      const hook = { url: receiver.url, on: ["session.completed"], allow_private: true };
      await service.call("add_webhook", hook, as("bob"));
      for (const id of ["shared", "private-one", "taken-back"]) {
        await service.call("create", { agent_name: "planner", session_id: id }, ann);
      }
      await service.call("share", { id: "shared", with: "bob" }, ann);
      await service.call("share", { id: "taken-back", with: "bob" }, ann);
      for (const id of ["private-one", "taken-back"]) {
        await service.call("finalize", { id, outcome: "completed" }, ann);
      }
      await service.call("unshare", { id: "taken-back", with: "bob" }, ann);
      place.send();
      await service.call("finalize", { id: "shared", outcome: "completed" }, ann);
      await endSession(place, "own-one", "completed", "bob");
      await until(() => receiver.received.some(({ session_id }) => session_id === "own-one"));
      const told = receiver.received.map(({ session_id }) => session_id);
      expect(told).toEqual(["ann/shared", "own-one"]);
    } finally {
      await closePlaces();
      await endReceivers();
    }
  });
});
