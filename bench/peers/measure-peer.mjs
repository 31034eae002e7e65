import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderBytes } from "../folder-bytes.ts";
import { median, sliceRate } from "../measurements.ts";
import { filterOf, seededSessions } from "../seeded-sessions.ts";

const window = 200;
const forkedTurns = 500;
const calls = 25;

/**
 * Runs the workload of side-by-side.ts on a peer and prints what came of it. `open` answers the peer on an empty folder:
 * append, resume, fork, seed, list, checkpoint, describe and close.
 */
export async function measurePeer(open) {
  const [turns, sessions] = process.argv.slice(2).map(Number);
  const root = mkdtempSync(join(tmpdir(), "belay-bench-peer-"));
  try {
    process.stdout.write(JSON.stringify(await measure(open, root, turns, sessions)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(open, root, turns, sessions) {
  // First, because it also warms the code up that the appends are timed in.
  const listMs = await measureList(await open(mkdtempSync(join(root, "list-"))), sessions);
  const folder = mkdtempSync(join(root, "growth-"));
  const peer = await open(folder);
  const times = [];
  const resumeMs = [];
  for (let turn = 1; turn <= turns; turn++) {
    times.push(await elapsedMs(() => peer.append("session", turn)));
    if (turn === 50 || turn === 500 || turn === turns) {
      const each = await eachMs(() => peer.resume("session", turn));
      resumeMs.push({ turns: turn, ms: median(each) });
    }
  }
  await peer.checkpoint();
  const bytesPerTurn = folderBytes(folder) / turns;
  for (let turn = 1; turn <= forkedTurns; turn++) await peer.append("parent", turn);
  const forks = await eachMs((call) => peer.fork("parent", `child-${call}`));
  const note = `Node ${process.versions.node}, ${await peer.describe()}`;
  await peer.close();
  return {
    note,
    appendRate: sliceRate(times.slice(0, window)),
    slowdown: sliceRate(times.slice(0, window)) / sliceRate(times.slice(-window)),
    bytesPerTurn,
    resumeMs,
    listMs,
    forkMs: median(forks),
  };
}

/** A store of its own: the growing session is not what is listed. */
async function measureList(peer, sessions) {
  const seeded = { count: sessions, agents: 2 };
  await peer.seed(seededSessions(seeded));
  const times = await eachMs(async (call) => {
    const filter = filterOf(call, seeded);
    const listed = await peer.list(filter);
    if (listed !== filter.limit) throw new Error(`listed ${listed} of ${filter.limit}`);
  });
  await peer.close();
  return median(times);
}

async function elapsedMs(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function eachMs(work) {
  const times = [];
  for (let call = 0; call < calls; call++) times.push(await elapsedMs(() => work(call)));
  return times;
}
