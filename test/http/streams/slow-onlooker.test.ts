import { expect, it } from "vitest";
import type { Delta } from "../../../src/contract/run-event.ts";
import type { LogEvent } from "../../../src/contract/session.ts";
import { begin, openLive, recordOf } from "./live-server.ts";

/** The text of each item, and pieces that did not fit. */
function join(items: readonly (LogEvent | Delta)[]) {
  const texts = new Map<string, string>();
  const wrong: string[] = [];
  let deltas = 0;
  for (const item of items) {
    const live = "after" in item;
    if (!live && item.type !== "turn.part") continue;
    const { turn_id, item: nth, offset, text } = live ? item : recordOf(item.data);
    const key = `${turn_id}/${nth}`;
    const have = texts.get(key) ?? "";
    if (live) deltas += 1;
    if (live ? offset !== have.length : Number(offset) > have.length) {
      wrong.push(`${live ? "a delta" : "a part"} at ${offset} of ${key}: ${have.length} known`);
    }
    texts.set(key, have + String(text).slice(have.length - Number(offset)));
  }
  return { texts, wrong, deltas };
}

it("gives a slow client missed text from the log, each part once", async () => {
  const server = await openLive();
  const id = await begin(server);
  const { entity_id } = recordOf((await server.ask("GET", `/sessions/${id}`)).json);
  const stop = new AbortController();
  const from = { place: { seq: 0, digest: null }, read: null };
  const watched = server.runner.watchLog(String(entity_id), from, stop.signal);
  const items: (LogEvent | Delta)[] = [];
  const take = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) {
      const next = await watched.next();
      if (next.done) throw new Error("it ended");
      items.push(next.value);
    }
  };
  const isOver = (turns: number) => () =>
    items.filter((item) => "type" in item && item.type === "turn.ended").length >= turns;
  const say = async (message: string): Promise<void> => {
    const { status } = await server.ask("POST", `/sessions/${id}/messages`, { body: { message } });
    expect(status).toBe(200);
  };
  await take(() => items.length > 0);
  // Turns pass, with more pieces than the queue holds, before it reads again.
  await say("/say one two three");
  await say("/flood 6000\n/think hm\n/flood 12000");
  await say("/say four five six");
  await take(isOver(3));
  const slow = join(items);
  expect(slow.wrong).toEqual([]);
  // From then on it keeps up and receives live text.
  const last = say("/pace 5\n/say seven eight nine");
  await take(isOver(4));
  await last;
  stop.abort();
  const { texts, wrong, deltas } = join(items);
  expect(wrong).toEqual([]);
  expect(deltas - slow.deltas).toBeGreaterThanOrEqual(3);
  const { turns } = recordOf((await server.ask("GET", `/sessions/${id}/messages`)).json);
  expect(Array.isArray(turns) && turns.map((turn) => recordOf(turn).output).join("")).toBe(
    [...texts].flatMap(([key, text]) => (text === "hm" && key ? [] : text)).join(""),
  );
});
