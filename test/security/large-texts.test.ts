import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { openRedactor } from "../../src/redaction/open-redactor.ts";
import { writePayload } from "../../src/server/webhooks/webhook-payload.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { as, HOUR, onMemory } from "../service/on-memory.ts";
import { countRounds } from "./count-rounds.ts";

const MB = 1024 * 1024;
const caller = as("ann", "library");

it("the search for secrets in a large text lets others be answered in between", async () => {
  const { service } = onMemory();
  const id = "long-1";
  await service.call("create", { agent_name: "a", session_id: id }, caller);
  const output = `${Buffer.from("hello world twelve").toString("base64")} `.repeat(MB / 25);
  await service.call("record_turn", { id, input: "a", output }, caller);
  const { rounds } = await countRounds(() =>
    service.call("export", { id, redact: true, after: 1 }, caller),
  );
  expect(rounds).toBeGreaterThanOrEqual(10);
});

it("the redaction of an event for a webhook lets others be answered in between", async () => {
  const output = `${Buffer.from("hello world twelve").toString("base64")} `.repeat(MB / 25);
  const origin = { actor: "ann", interface: "api", trace_id: null, hash: "a".repeat(64) } as const;
  const place = { cursor: "1", id: "long-1", seq: 1, at: new Date(0).toISOString() };
  const line = { ...place, ...origin, kind: "session", type: "turn.recorded", data: { output } };
  const { rounds } = await countRounds(() => writePayload(openMemoryStore(), "ann", line, true));
  expect(rounds).toBeGreaterThanOrEqual(10);
});

it("the search for an unknown person in a long audit lets others be answered in between", async () => {
  const { service, advance } = onMemory();
  for (let n = 0; n < 50; n += 1) {
    await service.call("create", { agent_name: "a", session_id: `old-${n}` }, caller);
  }
  // The audit itself reads only the last day.
  advance(48 * HOUR);
  const { rounds } = await countRounds(async () => {
    const asked = service.call("audit", { person: "nobody" }, caller);
    await expect(asked).rejects.toMatchObject({ code: "person_not_found" });
  });
  expect(rounds).toBeGreaterThanOrEqual(50);
});

it("a secret is hidden where it stands among very many escapes and in long base64", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const escaped = [...secret].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
  const many = "%41".repeat(300);
  const redactor = openRedactor({});
  expect(redactor.text(`${many} ${escaped} ${many}`)).toBe(`${many} [redacted:github] ${many}`);
  const words = "hello world ".repeat(100_000);
  const base64 = Buffer.from(`${words}${secret} ${words}`).toString("base64");
  const shown = redactor.text(base64);
  expect(shown).toContain("[redacted:github]");
  expect(base64.length - shown.length).toBeLessThan(100);
});

it("a preview counts very many secrets, and lists the first", async () => {
  const { service } = onMemory();
  const id = "long-1";
  await service.call("create", { agent_name: "a", session_id: id }, caller);
  const output = "password=hunter22abc ".repeat(150_000);
  await service.call("record_turn", { id, input: "a", output }, caller);
  const { hidden_count, hidden } = await service.call("preview_link", { id }, caller);
  expect([hidden_count, hidden.length]).toEqual([150_000, 500]);
});

it("an event with the values of many metadata keys is read once", async () => {
  const store = openMemoryStore();
  let events = 0;
  const counting: StreamStore = {
    ...store,
    async read(reads, bytes) {
      const parts = await store.read(reads, bytes);
      for (const part of parts) events += part?.events.flat().length ?? 0;
      return parts;
    },
  };
  const newId = () => crypto.randomUUID();
  const service = createService({ store: counting, now: Date.now, newId });
  const keys = Array.from({ length: 100 }, (_, n) => [`key-${n}`, `${n}${"z".repeat(1000)}`]);
  const metadata = Object.fromEntries(keys);
  await service.call("create", { agent_name: "a", session_id: "long-1", metadata }, caller);
  events = 0;
  const session = await service.call("get", { id: "long-1" }, caller);
  expect(session.metadata).toEqual(metadata);
  expect(events).toBe(1);
});

it("many secrets in one run of letters take no longer than as many in separate runs", () => {
  const times = ["xoxb-0123456789/", "sk-0123456789abcdef=", "AccountKey=", "--token=abc"].map(
    (one) => [one, timeOf(one), timeOf(`${one} `)] as const,
  );
  for (const [one, joined, separate] of times) {
    expect([one, joined < 4 * separate + 50]).toEqual([one, true]);
  }
});

it("the search for each known value lets others be answered in between", () => {
  const values = Array.from({ length: 100 }, (_, n) => `${"x".repeat(500)}${n}`);
  const steps = openRedactor({}, values).valueInSteps("x".repeat(10_000));
  let count = 0;
  while (!steps.next().done) count += 1;
  expect(count).toBeGreaterThanOrEqual(values.length);
});

/** The shortest processor time of a few, in milliseconds. */
function timeOf(secret: string): number {
  const text = secret.repeat(120_000 / secret.length);
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    openRedactor({}).text(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
