import type { Ask, Found, Note, Reply } from "./history.ts";
import type { World } from "./world.ts";

/** What became of one request. */
interface Call {
  readonly ask: Ask;
  readonly asked: number;
  readonly pid: number;
  reply?: Reply;
  failed?: string;
  ended: number;
}

/**
 * The problems of a world; none if everything that was acknowledged is there, once, in order, or if its loss is named
 * where another program took it.
 */
export function judgeWorld({ notes }: World): string[] {
  const found = notes.flatMap((note) => ("found" in note ? note.found : []))[0];
  const problems = notes.flatMap((note) => ("problem" in note ? note.problem : []));
  if (!found) return [...problems, "nobody could look at the end"];
  const calls = collect(notes);
  const swap = notes.findIndex((note) => "fault" in note && note.fault === "swap");
  const isDamaged = found.findings.some((finding) => finding.startsWith("damage"));
  for (const { ask, failed } of calls) {
    if (failed === undefined) continue;
    if (failed === "untyped") problems.push(`${ask.op} failed without a code`);
    if (failed === "storage_damaged" && swap < 0) problems.push(`${ask.op} was told of damage`);
  }
  for (const note of notes) {
    if (!("unopened" in note) || (note.unopened === "storage_damaged" && swap >= 0)) continue;
    problems.push(`the store was not opened: ${note.what}`);
  }
  const lost = findLosses(calls, found);
  if (swap < 0) {
    if (isDamaged) problems.push(`verify names damage: ${found.findings.join("; ")}`);
    if (found.write !== "committed" && found.write !== "refused") {
      problems.push(`one more write: ${found.write}`);
    }
    return [...problems, ...lost, ...findStaleReads(calls, found)];
  }
  if (lost.length === 0) return problems;
  if (!isDamaged) problems.push(`silent: ${lost.join("; ")}`);
  // A swap between the last look of a writer at a file and its write is noticed later.
  if (notes.some((note) => "fault" in note && note.isDuringChange)) return problems;
  const stream = swappedStream(notes);
  if (stream === null && found.write !== "storage_damaged") {
    problems.push(`one more write: ${found.write}`);
  }
  for (const call of calls) {
    const { ask, asked, reply } = call;
    if (asked < swap || !reply || reply.refused !== undefined || !WRITES.has(ask.op)) continue;
    const isTouched = stream === null || [...appendsOf(call)].some(([of]) => of === stream);
    if (isTouched) problems.push(`${ask.op} was accepted after the swap`);
  }
  return problems;
}

/** The stream whose file another program replaced; null for a file of the whole store. */
function swappedStream(notes: readonly Note[]): number | null {
  for (const note of notes) {
    if (!("fault" in note) || note.fault !== "swap") continue;
    const id = /-([0-9a-f]{12})\/(?:log|state)/.exec(note.what)?.[1];
    return id === undefined ? null : Number.parseInt(id, 16);
  }
  return null;
}

const WRITES = new Set(["begin", "write", "pair", "fork", "put", "drop", "purge", "lease"]);

function collect(notes: readonly Note[]): Call[] {
  const calls = new Map<string, Call>();
  for (const [at, note] of notes.entries()) {
    if (!("call" in note)) continue;
    const key = `${note.pid} ${note.call}`;
    const { pid } = note;
    if ("ask" in note) {
      calls.set(key, { ask: note.ask, asked: at, pid, ended: Number.POSITIVE_INFINITY });
    }
    const call = calls.get(key);
    if (!call || "ask" in note) continue;
    call.ended = at;
    if ("answer" in note) call.reply = note.answer;
    else call.failed = note.failed;
  }
  return [...calls.values()];
}

/** The stream and the number of each event that a call appended. */
function* appendsOf({
  ask,
  reply,
}: Call): Generator<readonly [number, string, number | undefined]> {
  if (ask.op === "begin" || ask.op === "write") yield [ask.stream, ask.text, reply?.seqs?.[0]];
  if (ask.op === "fork") yield [ask.other, ask.text, reply?.seqs?.[0]];
  if (ask.op !== "pair") return;
  yield [ask.stream, ask.text, reply?.seqs?.[0]];
  yield [ask.other, ask.text, reply?.seqs?.[1]];
}

function findLosses(calls: readonly Call[], found: Found): string[] {
  const lost: string[] = [];
  const purges = calls.filter(({ ask }) => ask.op === "purge");
  const mayBeGone = new Set(purges.map(({ ask }) => ("stream" in ask ? ask.stream : 0)));
  for (const call of calls) {
    const isDone = call.reply !== undefined && call.reply.refused === undefined;
    const isRefused = call.reply?.refused !== undefined || call.failed === "store_busy";
    const seen: number[] = [];
    for (const [stream, text, seq] of appendsOf(call)) {
      const texts = found.streams[stream] ?? [];
      if (typeof texts === "string") {
        if (!mayBeGone.has(stream)) lost.push(`stream ${stream} cannot be read: ${texts}`);
        continue;
      }
      const places = texts.flatMap((each, at) => (each === text ? at + 1 : []));
      seen.push(places.length);
      if (places.length > 1) lost.push(`"${text}" stands in stream ${stream} twice`);
      if (isRefused && places.length > 0) lost.push(`"${text}" was refused and is there`);
      if (!isDone || (mayBeGone.has(stream) && texts.length === 0)) continue;
      if (places.length === 0) lost.push(`"${text}" of stream ${stream} is lost`);
      else if (places[0] !== seq) lost.push(`"${text}" is at ${places[0]}, not at ${seq}`);
    }
    if (call.ask.op === "pair" && new Set(seen).size > 1) lost.push("half of a pair");
  }
  lost.push(...findLostBlobs(calls, found), ...findLostPurges(purges, calls, found));
  lost.push(...findFeedFaults(found), ...findEpochFaults(calls));
  return [...new Set(lost)];
}

function findLostBlobs(calls: readonly Call[], found: Found): string[] {
  const lost = [];
  for (const { ask, reply } of calls) {
    if (ask.op !== "put" || !reply) continue;
    const isThere = found.blobs[`${ask.stream} ${ask.text}`];
    if (isThere !== true) lost.push(`blob ${ask.text} of ${ask.stream} is lost: ${isThere}`);
  }
  return lost;
}

function findLostPurges(purges: readonly Call[], calls: readonly Call[], found: Found): string[] {
  return purges.flatMap(({ ask, reply, ended }) => {
    if (!reply || !("stream" in ask)) return [];
    const texts = found.streams[ask.stream] ?? [];
    const isNewer = calls.some(
      (call) => call.ask.op === "fork" && call.ask.other === ask.stream && call.ended > ended,
    );
    return texts.length === 0 || isNewer ? [] : [`the purge of ${ask.stream} is lost`];
  });
}

/** The feed has every event of every log once, in the order of the log. */
function findFeedFaults({ feed, streams }: Found): string[] {
  if (typeof feed === "string") return [`the feed cannot be read: ${feed}`];
  return Object.entries(streams).flatMap(([stream, texts]) => {
    if (typeof texts === "string") return [];
    const own = feed.filter(([of]) => of === Number(stream)).map(([, text]) => text);
    // A fork's inherited events are in the feed under their writer.
    const tail = own.length === 0 ? [] : texts.slice(-own.length);
    if (texts.length > 0 && own.length === 0) return [`the feed lacks stream ${stream}`];
    const isSame = tail.join() === own.join();
    const isWhole = Number(stream) >= 1000 || own.length === texts.length;
    return isSame && isWhole ? [] : [`the feed shows stream ${stream} differently`];
  });
}

function findEpochFaults(calls: readonly Call[]): string[] {
  const leases = calls.filter(({ ask, reply }) => ask.op === "lease" && reply?.epoch !== undefined);
  return leases.flatMap((later) => {
    const isBack = leases.some(
      (earlier) =>
        "stream" in earlier.ask &&
        "stream" in later.ask &&
        earlier.ask.stream === later.ask.stream &&
        earlier.ended < later.asked &&
        (earlier.reply?.epoch ?? 0) >= (later.reply?.epoch ?? 0),
    );
    return isBack ? [`the epoch ${later.reply?.epoch} was granted again`] : [];
  });
}

/** A read shows a beginning of the final log, with everything acknowledged before it began. */
function findStaleReads(calls: readonly Call[], found: Found): string[] {
  const problems: string[] = [];
  for (const { ask, reply, asked } of calls) {
    if (ask.op !== "read" || !reply?.texts) continue;
    const final = found.streams[ask.stream];
    if (!Array.isArray(final)) continue;
    const { texts } = reply;
    if (final.slice(0, texts.length).join() !== texts.join()) {
      problems.push(`a read of stream ${ask.stream} shows what is not in its log`);
    }
    for (const call of calls) {
      if (call.ended > asked) continue;
      for (const [stream, text, seq] of appendsOf(call)) {
        if (stream === ask.stream && seq !== undefined && !texts.includes(text)) {
          problems.push(`a read of stream ${stream} lacks "${text}"`);
        }
      }
    }
  }
  return problems;
}
