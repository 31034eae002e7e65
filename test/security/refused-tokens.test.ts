import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { RefusedTokens } from "../../src/server/access/refused-tokens.ts";
import { openServer, type TestServer } from "../http/open-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const HOUR = 3_600_000;

describe("a request without a valid token", () => {
  it("is in the audit of the token's owner or of the server's, once an hour, without its secret", async () => {
    const server = await openServer({ owner: "ann" });
    await server.service.call("add_person", { name: "carl" }, ANN);
    const revoked = await server.makeToken("bob", "write");
    await server.revoke(revoked.id);
    const until = new Date(Date.now() + 500).toISOString();
    const expired = await server.service.call("create_token", { until }, ANN);
    const disabled = await server.makeToken("carl", "write");
    await server.service.call("disable_person", { name: "carl" }, ANN);
    await expect.poll(() => Date.now() > Date.parse(until)).toBe(true);
    const unknown = `${revoked.token.slice(0, -43)}${"x".repeat(43)}`;
    const password = "my-other-password";
    const tokens = [null, revoked.token, expired.token, disabled.token, unknown, password];
    for (let n = 0; n < 2; n += 1) {
      for (const token of tokens) {
        const asked = await server.ask("GET", "/sessions/secret-in-the-path", { token });
        expect(asked.status).toBe(401);
      }
    }
    const entries = await refusals(server);
    const facts = entries.map(({ owner, data }) => [owner, data.reason, data.token]);
    expect(facts.toSorted()).toEqual(
      [
        ["ann", "no_token", undefined],
        ["ann", "unknown_token", undefined],
        ["ann", "unknown_token", expect.stringMatching(/^[0-9a-f]{8}$/)],
        ["ann", "expired_token", expired.id],
        ["bob", "revoked_token", revoked.id],
        ["carl", "disabled_person", disabled.id],
      ].toSorted(),
    );
    for (const { data } of entries) {
      expect(data).toMatchObject({ operation: "GET /sessions/:id", from: "127.0.0.1" });
    }
    const text = JSON.stringify(entries);
    for (const secret of [...tokens.map((token) => token?.slice(-20)), "secret-in-the-path"]) {
      if (secret !== undefined) expect(text).not.toContain(secret);
    }
    // What a stranger did is not taken for something that the owner of the server did.
    const { events } = await server.service.call("audit", { person: "ann", what: "refused" }, ANN);
    expect(events.map(({ data }) => data.reason)).toEqual(["expired_token"]);
  });

  it("is recorded for a WebSocket and for GraphQL too", async () => {
    const server = await openServer();
    const body = { query: "{ count { badge } }" };
    expect((await server.ask("POST", "/graphql", { token: "wrong", body })).status).toBe(401);
    const [entry] = await refusals(server);
    expect(entry?.data).toMatchObject({ operation: "POST /graphql", reason: "unknown_token" });
  });

  it("cannot fill the disk: an hour has at most 20 entries of strangers, and as many bytes", async () => {
    const server = await openServer();
    const { context } = server.runner;
    let now = Date.now();
    const log = new RefusedTokens({ ...context, now: () => now }, ANN);
    const flood = async (): Promise<void> => {
      for (let n = 0; n < 3000; n += 1) {
        const token = `belay_${n.toString(16).padStart(32, "0")}_${"y".repeat(43)}`;
        const from = `2001:db8::${n}${"0".repeat(500)}`;
        await log.record({ token, from, operation: "GET /sessions" });
      }
    };
    const size = (): number => {
      const db = new DatabaseSync(join(server.home, "belay.db"), { readOnly: true });
      const counted = db
        .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
        .get();
      db.close();
      return Number(counted?.bytes);
    };
    const before = size();
    await flood();
    const first = await refusals(server);
    expect(first.length).toBe(20);
    expect(first.at(-1)?.data.reason).toBe("more");
    expect(JSON.stringify(first).length).toBeLessThan(20 * 600);
    expect(size() - before).toBeLessThan(64 * 1024);
    // Strangers take no room from those who hold a token that was revoked.
    const revoked = await server.makeToken("bob", "write");
    await server.revoke(revoked.id);
    await server.ask("GET", "/counts", { token: revoked.token });
    expect((await refusals(server)).map(({ data }) => data.reason)).toContain("revoked_token");
    now += HOUR;
    await flood();
    expect((await refusals(server)).length).toBe(41);
  });
});

async function refusals({ service }: TestServer) {
  const input = { everyone: true, what: "refused", limit: 1000 };
  return (await service.call("audit", input, ANN)).events;
}
