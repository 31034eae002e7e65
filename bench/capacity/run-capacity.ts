import { toMarkdown } from "../markdown-table.ts";
import { assumptions, derive, noticeInterval } from "./assumptions.ts";
import { simulate } from "./simulate.ts";

const SECONDS = 240;

/** The numbers of the capacity model, by arithmetic and as a simulation finds them. */
export function runCapacity(): string {
  const derived = derive(assumptions);
  const { nodes } = derived;
  const found = simulate(assumptions, { nodes, seconds: SECONDS, death: 60, seed: 18 });
  const rows = [
    ["", "by arithmetic", `in ${SECONDS} simulated seconds`],
    ["turns under way", show(derived.working), show(found.working)],
    [
      `agents on the fullest of ${nodes} nodes`,
      show(derived.working / nodes),
      `${found.mostOnANode}`,
    ],
    ["turns that found their node full", "0", `${found.full}`],
    ["writes per second", show(derived.writes), show(found.writes)],
    ["renewals per second", show(derived.renewals, 1), show(found.renewals, 1)],
    ["share of time that a lane commits", percent(derived.laneBusy), percent(found.laneBusy)],
    ["writes in a commit", "1", show(found.batch, 2)],
    [
      "delay of a write, p50 and p99",
      `${show(assumptions.commitMs + assumptions.writeMs, 1)} ms`,
      `${show(found.delay.p50, 1)} and ${show(found.delay.p99, 1)} ms`,
    ],
    ["reads by drivers and clients per second", show(derived.reads), show(found.reads)],
    ["notices per second, from all nodes", show(derived.notices), show(found.notices)],
    [
      "a node's notice after its commit, p50 and p99",
      `<= ${show(noticeInterval(assumptions, nodes), 1)} ms`,
      `${show(found.told.p50, 1)} and ${show(found.told.p99, 1)} ms`,
    ],
    ["looks for changes per second, from all nodes", show(derived.looks), show(found.looks)],
    ["changes that a look finds", show(derived.changes), show(found.changes)],
    ["cores of the database", show(derived.cores.all, 1), ""],
    ...Object.entries({
      writes: derived.cores.writes,
      "reads by drivers and clients": derived.cores.reads,
      notices: derived.cores.notices,
      "looks for changes": derived.cores.looks,
      "checks of tokens": derived.cores.tokens,
    }).map(([what, cores]) => [`… for ${what}`, show(cores, 1), ""]),
    [
      `takeover of the ${found.lost} turns of a killed node`,
      `<= ${derived.takeover} s`,
      `${show(found.takeover, 1)} s`,
    ],
  ];
  return `${toMarkdown(rows).join("\n")}\n`;
}

function show(value: number, digits = 0): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
