import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../http/until.ts";
import { MEASURED } from "../patience.ts";
import type { RealServer, ServerPlace } from "../serve/server-process.ts";
import {
  endAll,
  listOf,
  newPlace,
  recordOf,
  runBelay,
  serve,
  textOf,
} from "../serve/server-process.ts";
import { endReceivers, Receiver, standardSignature } from "./receiver.ts";

let place: ServerPlace;

beforeEach(() => {
  place = newPlace();
});
afterEach(async () => {
  await endAll();
  await endReceivers();
  place.remove();
});

const ON = "session.completed,session.suspended,session.failed";

async function addWebhook(url: string): Promise<{ id: string; secret: string }> {
  const args = ["webhooks", "add", url, "--on", ON, "--allow-private", "--json"];
  const { json } = await runBelay(place, args);
  return { id: textOf(json, "id"), secret: textOf(json, "secret") };
}

/** Sessions that are suspended, resumed and completed. */
async function work(server: RealServer, names: readonly string[]): Promise<void> {
  for (const session_id of names) {
    const body = { agent_name: "elsewhere", session_id };
    expect((await server.ask("POST", "/sessions", { body })).status).toBe(201);
    for (const step of ["suspend", "resume", "complete"]) {
      expect((await server.ask("POST", `/sessions/${session_id}/${step}`)).status).toBe(200);
    }
  }
}

/** The deliveries that a receiver keeps if it deduplicates by id, as the standard says. */
function keptBy(receiver: Receiver): string[] {
  const seen = new Set<string>();
  return receiver.acknowledged
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .map(({ type, session_id }) => `${session_id} ${type.replace("session.", "")}`);
}

function expected(names: readonly string[]): string[] {
  return names.flatMap((name) => [`${name} suspended`, `${name} completed`]);
}

describe("a server and a receiver", () => {
  it("lose nothing if the receiver dies and restarts", async () => {
    const receiver = await Receiver.start();
    const server = await serve(place);
    const { id, secret } = await addWebhook(receiver.url);
    await work(server, ["one-1"]);
    await until(() => receiver.acknowledged.length === 2);
    await receiver.die();
    await work(server, ["two-2", "three-3"]);
    await until(async () => {
      const [webhook] = listOf((await server.ask("GET", "/webhooks")).json, "webhooks");
      return webhook?.state === "failing";
    });
    await receiver.comeBack();
    await until(() => receiver.acknowledged.length === 6);
    expect(keptBy(receiver)).toEqual(expected(["one-1", "two-2", "three-3"]));
    // Nothing was acknowledged twice: each was sent until then, and not after.
    expect(receiver.acknowledged).toHaveLength(6);
    for (const { headers, text } of receiver.received) {
      expect(headers["webhook-signature"]).toBe(standardSignature(secret, headers, text));
    }
    // The receiver knows its answer before the server has recorded it.
    const readDeliveries = async () =>
      listOf((await server.ask("GET", `/webhooks/${id}/deliveries`)).json, "deliveries");
    await until(async () => (await readDeliveries())[0]?.type === "session.completed");
    const deliveries = await readDeliveries();
    expect(deliveries).toMatchObject([
      { session_id: "three-3", type: "session.completed", acknowledged: true, status: 200 },
      ...Array(4).fill({}),
      ...Array(Math.max(0, deliveries.length - 5)).fill({}),
    ]);
    expect(server.program.stderr).not.toContain(secret.replace("whsec_", ""));
    expect(await server.end()).toBe(0);
  });

  it("lose nothing if the server is killed between an event and its acknowledgement", async () => {
    const receiver = await Receiver.start();
    const first = await serve(place);
    await addWebhook(receiver.url);
    // It has the event, but its answer never arrives.
    receiver.answer = () => null;
    await work(first, ["one-1", "two-2"]);
    await until(() => receiver.received.length === 1);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");
    const cut = receiver.received[0];
    receiver.answer = () => 200;
    const second = await serve(place);
    await until(() => receiver.acknowledged.length === 4);
    expect(receiver.acknowledged[0]?.id).toBe(cut?.id);
    expect(keptBy(receiver)).toEqual(expected(["one-1", "two-2"]));
    expect(receiver.acknowledged).toHaveLength(4);

    // Again, with an acknowledgement that may not have been recorded.
    receiver.answer = ({ type }) => {
      if (type === "session.suspended") second.program.signal("SIGKILL");
      return 200;
    };
    await work(second, ["three-3"]).catch(() => undefined);
    await second.program.ended;
    receiver.answer = () => 200;
    const third = await serve(place);
    await third.ask("POST", "/sessions/three-3/resume");
    await third.ask("POST", "/sessions/three-3/complete");
    await until(() => keptBy(receiver).at(-1) === "three-3 completed");
    expect(keptBy(receiver)).toEqual(expected(["one-1", "two-2", "three-3"]));
    expect(receiver.acknowledged.length).toBeLessThanOrEqual(7);
    const verified = await runBelay(place, ["verify", "--json"]);
    expect([verified.code, verified.json]).toMatchObject([0, { ok: true }]);
  });

  it("shut down together even if the receiver hangs", MEASURED, async () => {
    const receiver = await Receiver.start();
    receiver.answer = () => null;
    const server = await serve(place);
    await addWebhook(receiver.url);
    await work(server, ["one-1"]);
    await until(() => receiver.received.length === 1);
    const began = performance.now();
    expect(await server.end()).toBe(0);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe("a receiver with a certificate", () => {
  it("gets events only if the certificate is trusted (needs openssl)", async ({ skip }) => {
    const [cert, key] = [join(place.root, "cert.pem"), join(place.root, "key.pem")];
    const subject = ["-subj", "/CN=receiver", "-addext", "subjectAltName=IP:127.0.0.1"];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const files = ["-keyout", key, "-out", cert, "-days", "2"];
    const made = spawnSync("openssl", ["req", "-x509", ...curve, ...subject, ...files]);
    skip(made.status !== 0, "there is no openssl");
    const receiver = await Receiver.start({
      cert: readFileSync(cert, "utf8"),
      key: readFileSync(key, "utf8"),
    });
    expect(receiver.url).toMatch(/^https:/);
    const { id } = await addWebhook(receiver.url);
    const test = ["webhooks", "test", id, "--json"];
    expect(await runBelay(place, test)).toMatchObject({ code: 1, json: { status: null } });
    expect(receiver.received).toEqual([]);
    const trusting = await runBelay(place, test, { NODE_EXTRA_CA_CERTS: cert });
    expect(trusting).toMatchObject({ code: 0, json: { acknowledged: true, status: 200 } });
    expect(receiver.received).toHaveLength(1);
  });
});

describe("the command line", () => {
  it("adds, lists, tests, shows deliveries and removes, without a server", async () => {
    const receiver = await Receiver.start();
    const args = ["webhooks", "add", receiver.url, "--on", "session.failed", "--allow-private"];
    const added = await runBelay(place, args);
    const [secret = ""] = /whsec_\S+/.exec(added.stdout) ?? [];
    const [id = ""] = /[0-9a-f-]{36}/.exec(added.stdout) ?? [];
    expect([added.code, secret.length > 40, id.length]).toEqual([0, true, 36]);
    const listed = await runBelay(place, ["webhooks", "list"]);
    expect(listed.stdout).toContain(receiver.url);
    expect(listed.stdout).not.toContain(secret);
    expect(await runBelay(place, ["webhooks", "test", id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("200"),
    });
    expect(receiver.received).toMatchObject([{ type: "webhook.test" }]);
    receiver.answer = () => 500;
    expect(await runBelay(place, ["webhooks", "test", id])).toMatchObject({ code: 1 });
    expect((await runBelay(place, ["webhooks", "deliveries", id])).stdout).toMatch("No deliveries");
    const accept = ["webhooks", "accept", "issues", "--preset", "github", "--agent", "demo"];
    expect(await runBelay(place, [...accept, "--events", "issues,issue_comment.created"])).toEqual(
      expect.objectContaining({ code: 0, stdout: expect.stringContaining("/webhooks/issues") }),
    );
    expect((await runBelay(place, ["webhooks", "list", "--json"])).json).toMatchObject({
      webhooks: [{ id, state: "active", on: ["session.failed"] }],
      accepted: [{ name: "issues", events: ["issues", "issue_comment.created"] }],
    });
    expect((await runBelay(place, ["webhooks", "remove", id])).code).toBe(0);
    expect((await runBelay(place, ["webhooks", "remove", "issues"])).code).toBe(0);
    expect(await runBelay(place, ["webhooks", "remove", id, "--json"])).toMatchObject({
      code: 3,
      json: { error: "webhook_not_found" },
    });
    expect(readFileSync(`${place.home}/webhook-secrets.json`, "utf8")).toBe("{}\n");
  });

  it("keeps every secret if many are added at once", async () => {
    const urls = ["a", "b", "c", "d"].map((name) => `http://127.0.0.1:9/${name}`);
    const added = await Promise.all(urls.map(addWebhook));
    const kept = recordOf(JSON.parse(readFileSync(`${place.home}/webhook-secrets.json`, "utf8")));
    expect(kept).toEqual(Object.fromEntries(added.map(({ id, secret }) => [id, secret])));
  });

  it("refuses an invalid event, address or name, and says what is valid", async () => {
    const wrong = [
      ["add", "http://127.0.0.1:9/", "--on", "everything", "--allow-private"],
      ["add", "http://127.0.0.1:9/", "--on", "session.failed"],
      ["add", "https://localhost/", "--on", "session.failed"],
      ["accept", "../x", "--preset", "github", "--agent", "demo"],
      ["accept", "x", "--preset", "json", "--agent", "demo"],
      ["accept", "x", "--preset", "github", "--agent", "demo", "--events", "push"],
      ["accept", "x", "--preset", "github", "--agent", "demo", "--secret", "short"],
      ["accept", "x", "--preset", "github", "--agent", "demo", "--cwd", "."],
    ];
    for (const args of wrong) {
      const { code, json } = await runBelay(place, ["webhooks", ...args, "--json"]);
      expect([args, code, json]).toMatchObject([args, 2, { error: "invalid_input" }]);
    }
  });
});
