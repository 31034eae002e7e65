import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/contract/is-record.ts";
import { openServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";
import { MEASURED } from "../patience.ts";
import { readError } from "./ask-graphql.ts";
import { begin, CALLER } from "./begin-session.ts";
import { listen } from "./clients.ts";
import { eventOf } from "./raw-socket.ts";

const WAYS = ["ws", "sse"] as const;

describe.each(WAYS)("a subscription over %s", (way) => {
  it("sends past and new events, and continues from a position", async () => {
    const server = await openServer();
    const id = await begin(server);
    const seen: Record<string, unknown>[] = [];
    const { cut } = listen(
      way,
      server,
      server.tokens.ann.read,
      { id },
      {
        next: (answer) => seen.push(eventOf(answer)),
      },
    );
    await until(() => seen.length === 1);
    await server.service.call("update", { id, phase: "planning" }, CALLER);
    const { version } = await server.service.call("get", { id }, CALLER);
    await until(() => seen.length >= version);
    cut();
    expect(seen[0]).toMatchObject({ type: "session.created", seq: 1, delta: null });
    expect(seen).toContainEqual(expect.objectContaining({ type: "phase.changed", delta: null }));
    const all = Array.from({ length: version }, (_, n) => n + 1);
    expect(seen.map((event) => event.seq)).toEqual(all);

    const later: unknown[] = [];
    const again = listen(
      way,
      server,
      server.tokens.ann.read,
      { id, after: 1 },
      {
        next: (answer) => later.push(eventOf(answer).seq),
      },
    );
    await until(() => later.length >= version - 1);
    again.cut();
    expect(later).toEqual(all.slice(1));
  });

  it("is refused if there is no session, or no valid token", async () => {
    const server = await openServer();
    const id = await begin(server);
    const { ann, bob } = server.tokens;
    const refusedBy = async (token: string, place: { id: string; after?: number }) => {
      const { ended } = listen(way, server, token, place, {
        next: (answer) => expect(answer).toBeNull(),
      });
      return ended;
    };
    const nobody = await codesOf(refusedBy(bob.write, { id: "nobody-1" }), way);
    expect(nobody).toContain(way === "ws" ? "session_not_found" : "404");
    expect(await codesOf(refusedBy(bob.write, { id }), way)).toBe(nobody);
    const beyond = await codesOf(refusedBy(ann.write, { id, after: 99 }), way);
    expect(beyond).toContain(way === "ws" ? "invalid_input" : "400");
    const stranger = await codesOf(refusedBy("belay_nobody", { id }), way);
    expect(stranger).toContain(way === "ws" ? "4403" : "401");
  });

  it("ends within 5 s when its token is revoked, and sends nothing more", MEASURED, async () => {
    const server = await openServer({ times: { admission_ms: 200 } });
    const id = await begin(server);
    const { id: token_id, token } = await server.makeToken("ann", "read");
    const seen: unknown[] = [];
    const { ended } = listen(way, server, token, { id }, { next: (answer) => seen.push(answer) });
    await until(() => seen.length === 1);
    const began = performance.now();
    await server.revoke(token_id);
    const end = await ended;
    expect(performance.now() - began).toBeLessThan(5000);
    if (way === "ws") expect(end).toMatchObject({ code: 4403 });
    await server.service.call("update", { id, phase: "planning" }, CALLER);
    expect(seen).toHaveLength(1);
  });

  it("ends with the server, which does not wait for it", MEASURED, async () => {
    const server = await openServer();
    const id = await begin(server);
    const seen: unknown[] = [];
    const { ended } = listen(
      way,
      server,
      server.tokens.ann.read,
      { id },
      {
        next: (answer) => seen.push(answer),
      },
    );
    await until(() => seen.length === 1);
    const began = performance.now();
    await server.close();
    const end = await ended;
    expect(performance.now() - began).toBeLessThan(4000);
    if (way === "ws") expect(end).toMatchObject({ code: 1001 });
  });
});

/** The error that ended it, as the client reports it. */
async function codesOf(ended: Promise<unknown>, way: "ws" | "sse"): Promise<string> {
  const error = await ended;
  if (way === "ws" && Array.isArray(error)) return error.map((each) => readError(each).code).join();
  if (isRecord(error) && typeof error.code === "number") return String(error.code);
  return String(error);
}
