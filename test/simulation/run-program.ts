import { createHash } from "node:crypto";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import {
  begin,
  blindly,
  idOf,
  moreLines,
  textsOf,
  write,
} from "../../src/store/conformance/notebook.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { loadStream, readEvents } from "../../src/store/read-streams.ts";
import type { Outcome, StoredStream } from "../../src/store/stream-store.ts";
import type { Ask, Found, Reply } from "./history.ts";
import { openSimulated, type Simulated } from "./open-simulated.ts";
import { type Life, thisProcess } from "./this-process.ts";

let calls = 0;

export async function runProgram(life: Life): Promise<void> {
  calls = 0;
  const store = await open(life);
  if (!store) return;
  thisProcess.note({ opened: life.pid });
  if (life.program === "judge") await judge(store, life);
  else await work(store, life);
  await store.close();
}

/** Null if the store cannot be opened, which its error must explain. */
async function open(life: Life): Promise<Simulated | null> {
  try {
    return await openSimulated(life);
  } catch (error) {
    if (thisProcess.isDead) throw error;
    const failed = error instanceof BelayError ? error.code : "untyped";
    if (life.program === "judge") {
      thisProcess.note({ found: nothingFound(describe(error), failed) });
    }
    thisProcess.note({ unopened: failed, what: describe(error) });
    return null;
  }
}

async function work(store: Simulated, life: Life): Promise<void> {
  const random = thisProcess.random;
  for (let n = 0; n < life.ops; n += 1) {
    const asks = Array.from({ length: random(4) === 0 ? 2 : 1 }, (_, k) =>
      drawAsk(life, n, `${life.pid}.${n}.${k}`),
    );
    await Promise.all(asks.map((ask) => perform(store, ask)));
    if (random(3) === 0) await sleep(random(5));
  }
}

function drawAsk({ streams, pid }: Life, n: number, text: string): Ask {
  const { random } = thisProcess;
  const stream = 1 + random(streams);
  const other = 1 + (stream % streams);
  const roll = random(100);
  if (n < 2 && roll < 70) return { op: "begin", stream, text };
  if (roll < 38) return { op: "write", stream, text };
  if (roll < 50) return { op: "pair", stream, other, text };
  if (roll < 58) return { op: "begin", stream, text };
  if (roll < 62) return { op: "fork", stream, other: 1000 * pid + random(3), text };
  if (roll < 70) return { op: "put", stream, text };
  if (roll < 72) return { op: "drop", stream, text: `${random(9)}` };
  if (roll < 75) return { op: "get", stream, text: `${random(9)}` };
  if (roll < 77) return { op: "purge", stream: 1000 * pid + random(3) };
  if (roll < 81) return { op: "lease", stream };
  if (roll < 84) return { op: "compact" };
  if (roll < 95) return { op: "read", stream };
  return { op: "feed" };
}

async function perform(store: Simulated, ask: Ask): Promise<void> {
  calls += 1;
  const [call, pid] = [calls, thisProcess.life?.pid];
  thisProcess.note({ call, pid, ask });
  try {
    const answer = await carryOut(store, ask);
    thisProcess.note({ call, pid, answer });
  } catch (error) {
    if (thisProcess.isDead) throw error;
    const failed = error instanceof BelayError ? error.code : "untyped";
    thisProcess.note({ call, pid, failed, what: describe(error) });
  }
}

async function carryOut(store: Simulated, ask: Ask): Promise<Reply> {
  switch (ask.op) {
    case "begin":
      return replyTo(await store.transact(begin(idOf(ask.stream), { lines: [ask.text] })));
    case "write":
      return replyTo(await store.transact(write(idOf(ask.stream), { lines: [ask.text] })));
    case "pair": {
      const ids = [idOf(ask.stream), idOf(ask.other)];
      const outcome = await store.transact({
        ...blindly(),
        streams: ids.map((id) => ({ id })),
        decide: ({ streams }) => {
          const there = streams.flatMap((stream) => stream ?? []);
          if (there.length < 2) return { refused: refuse("session_not_found", "not both") };
          return { appends: there.map((stream) => moreLines(stream, { lines: [ask.text] })) };
        },
      });
      return replyTo(outcome);
    }
    case "fork": {
      const parent = await loadStream(store, { id: idOf(ask.stream) });
      if (!parent) return { refused: "session_not_found" };
      const base = { id: parent.id, seq: parent.seq };
      return replyTo(await store.transact(begin(idOf(ask.other), { base, lines: [ask.text] })));
    }
    case "put":
      await store.blobs?.put(idOf(ask.stream), [bytesOf(ask.text)]);
      return {};
    case "drop":
      await store.blobs?.drop(idOf(ask.stream), digestOf(ask.text));
      return {};
    case "get":
      return { isThere: await hasBlob(store, ask.stream, ask.text) };
    case "purge":
      await store.purge(idOf(ask.stream), 1);
      return {};
    case "lease": {
      const holder = { name: `${thisProcess.life?.pid}`, pid: 1, start_time: null, boot_id: null };
      const lease = await acquireLease(store, idOf(ask.stream), holder, true);
      return lease.granted ? { epoch: lease.epoch } : {};
    }
    case "compact":
      await store.compact();
      return {};
    case "read":
      return { texts: await readTexts(store, ask.stream) };
    case "feed":
      return { texts: (await readFeed(store)).map(([, text]) => text) };
  }
}

function replyTo(outcome: Outcome): Reply {
  if (outcome.kind === "committed") return { seqs: outcome.streams.map(({ seq }) => seq) };
  return { refused: outcome.kind === "refused" ? outcome.refusal.error : outcome.kind };
}

async function judge(store: Simulated, _: Life): Promise<void> {
  const streams: Record<number, readonly string[] | string> = {};
  const blobs: Record<string, boolean | string> = {};
  const findings: string[] = [];
  try {
    for await (const { kind, what } of store.inspect()) findings.push(`${kind}: ${what}`);
  } catch (error) {
    findings.push(`damage: ${describe(error)}`);
  }
  const asked: { readonly streams: number[]; readonly blobs: [number, string][] } =
    thisProcess.call("asked");
  for (const stream of asked.streams) {
    streams[stream] = await readTexts(store, stream).catch(describe);
  }
  for (const [stream, text] of asked.blobs) {
    blobs[`${stream} ${text}`] = await hasBlob(store, stream, text).catch(describe);
  }
  const feed = await readFeed(store).catch(describe);
  const last = write(idOf(1), { lines: ["the last one"] });
  const outcome = await store.transact(last).then(
    ({ kind }) => kind,
    (error: unknown) => (error instanceof BelayError ? error.code : describe(error)),
  );
  const found: Found = { findings, streams, blobs, feed, write: outcome };
  thisProcess.note({ found });
}

function nothingFound(what: string, write: string): Found {
  return { findings: [`damage: ${what}`], streams: {}, blobs: {}, feed: what, write };
}

async function readTexts(store: Simulated, stream: number): Promise<string[]> {
  const found: StoredStream | undefined = await loadStream(store, { id: idOf(stream) });
  if (!found) return [];
  const events = await readEvents(store, idOf(stream), { after: 0, limit: 10_000 });
  return textsOf(events).map(String);
}

async function readFeed(store: Simulated): Promise<[number, string][]> {
  const { events } = await store.readFeed({ after: "", limit: 10_000 });
  return events.map((event) => [
    Number.parseInt(event.stream.slice(-12), 16),
    String(textsOf([event])[0]),
  ]);
}

async function hasBlob(store: Simulated, stream: number, text: string): Promise<boolean> {
  const blob = await store.blobs?.get(idOf(stream), digestOf(text));
  if (!blob) return false;
  const chunks: Uint8Array[] = [];
  for await (const chunk of blob.bytes()) chunks.push(chunk);
  if (Buffer.concat(chunks).equals(bytesOf(text))) return true;
  throw new Error("the blob has other bytes");
}

function bytesOf(text: string): Buffer {
  return Buffer.from(`the blob ${text} `.repeat(300));
}

function digestOf(text: string): string {
  return createHash("sha256").update(bytesOf(text)).digest("hex");
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof BelayError ? error.message : (error.stack ?? error.message);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
