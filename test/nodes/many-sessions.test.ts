import { afterAll, expect, it } from "vitest";
import { MOST_LOCKS } from "../../src/store/postgres/write/locks.ts";
import { sampleSize } from "../crash/sample-size.ts";
import { query } from "../postgres/scene-databases.ts";
import { NodeLab } from "./node-lab.ts";

const lab = await NodeLab.open(60);
afterAll(() => lab.close());

const SESSIONS = sampleSize({ full: 600, sample: 150 });

it("a node with many sessions shuts down in transactions of at most 256 locks", async () => {
  const server = await lab.start(0);
  const begin = async (nth: number): Promise<void> => {
    const session_id = `session-${nth}`;
    const body = { agent_name: "elsewhere", session_id };
    expect((await server.ask("POST", "/sessions", { body })).status).toBe(201);
    const turn = { body: { input: "Hello?", output: "Hi." } };
    const { status } = await server.ask("POST", `/sessions/${session_id}/turns`, turn);
    expect(status).toBeLessThan(300);
  };
  const all = Array.from({ length: SESSIONS }, (_, nth) => nth);
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let nth = all.pop(); nth !== undefined; nth = all.pop()) await begin(nth);
    }),
  );
  expect(await server.end()).toBe(0);
  const { rows } = await query(lab.url, COMMITS);
  const sessions = rows.map((row) => Number(row.sessions));
  expect(sessions.reduce((sum, each) => sum + each, 0)).toBe(SESSIONS);
  expect(Math.max(...rows.map((row) => Number(row.streams)))).toBeLessThanOrEqual(MOST_LOCKS);
  expect(sessions.length).toBeLessThan(10);
});

/** The commits that suspended sessions, and how many streams each has written to. */
const COMMITS = `SELECT count(*) FILTER (WHERE e.type = 'session.suspended') AS sessions, count(DISTINCT e.sid) AS streams
  FROM belay.events e WHERE e.xid IN (SELECT s.xid FROM belay.events s WHERE s.type = 'session.suspended') GROUP BY e.xid`;
