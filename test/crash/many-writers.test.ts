import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openBelay } from "../../src/index.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { runTogether } from "./starting-gate.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const id = "shared-session";

describe("four processes that update one session fifty times each", () => {
  it("all succeed, in one order without gaps", async () => {
    const { log, reports } = await update("honest");
    const updates = log.filter(({ type }) => type === "session.updated");
    expect(updates).toHaveLength(200);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    const given = reports.flatMap(({ versions }) => versions).sort((a, b) => a - b);
    expect(given).toEqual(updates.map(({ seq }) => seq));
    for (const { name, versions } of reports) {
      const own = updates.filter(({ data }) => JSON.stringify(data).includes(`"${name}"`));
      expect(own.map(({ seq }) => seq)).toEqual(versions);
      const counted = own.map(({ data }) => z.record(z.string(), z.number()).parse(data.metadata));
      expect(counted).toEqual(versions.map((_, n) => ({ [name]: n + 1 })));
    }
    say(`4 processes x 50 updates: ${updates.length} of 200 kept, versions contiguous`);
  });

  it("control: writers that give up on a conflict lose updates", async () => {
    const { log } = await update("giving-up");
    const kept = log.filter(({ type }) => type === "session.updated").length;
    say(`control: writers that give up kept ${kept} of 200 updates`);
    expect(kept).toBeLessThan(200);
  });
});

describe("clients that send every request twice", () => {
  it("have each request done once, and get the first answer twice", async () => {
    const { kept, answers } = await sendTwice("keyed");
    const distinct = new Set(kept);
    say(
      `${CLIENTS} clients, ${answers.length} sends of ${distinct.size} requests: ${kept.length} done`,
    );
    expect(kept).toHaveLength(distinct.size);
    expect(distinct.size).toBe(CLIENTS * REQUESTS);
    expect(answers).toHaveLength(2 * CLIENTS * REQUESTS);
    for (const text of distinct) {
      const same = answers.filter((answer) => answer.text === text);
      expect(same).toHaveLength(2);
      expect(same[1]).toEqual(same[0]);
    }
  });

  it("control: without keys every request is done twice", async () => {
    const { kept } = await sendTwice("plain");
    say(`control: without keys ${kept.length} of ${CLIENTS * REQUESTS} requests were done`);
    expect(kept).toHaveLength(2 * CLIENTS * REQUESTS);
  });
});

const CLIENTS = sampleSize({ full: 16, sample: 6 });
const REQUESTS = 12;
const Answers = z.array(z.object({ text: z.string(), version: z.number(), turn_id: z.string() }));

async function update(mode: string) {
  const home = join(root, mode);
  await createIn(home);
  const Report = z.object({ name: z.string(), versions: z.array(z.number()) });
  const reports = await runTogether(
    ["anna", "ben", "cleo", "dan"].map((name) => ["updater", home, id, name, "50", mode] as const),
    Report,
  );
  return { log: await readLog(home), reports };
}

/** Each client sends its own requests and those of its neighbour. */
async function sendTwice(keyed: string) {
  const home = join(root, keyed);
  await createIn(home);
  const requests = Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: REQUESTS }, (_, n) => `request ${client}-${n}`),
  );
  const clients = requests.map((own, client) => {
    const neighbour = requests[(client + 1) % CLIENTS] ?? [];
    return ["client", home, id, keyed, ...own, ...neighbour] as const;
  });
  const answers = (await runTogether(clients, Answers)).flat();
  const turns = (await readLog(home)).filter(({ type }) => type === "turn.recorded");
  return { kept: turns.map(({ data }) => String(data.input)), answers };
}

async function createIn(home: string): Promise<void> {
  const belay = await openBelay({ home });
  await belay.sessions.create({ agent_name: "worker", session_id: id });
  await belay.close();
}

async function readLog(home: string) {
  const belay = await openBelay({ home });
  const { events } = await belay.sessions.log({ id, limit: 1000 });
  const { ok, findings } = await belay.maintenance.verify();
  await belay.close();
  expect({ ok, findings }).toEqual({ ok: true, findings: [] });
  return events;
}
