import type { Span } from "../../../../src/contract/past.ts";
import type { OpenWay, SpanKind } from "../../../../src/contract/vocabulary.ts";
import { EFFECTS_WORDS } from "../../ui/effects-words.ts";
import { formatDuration } from "../time/format-duration.ts";
import { type Item, tookOf } from "./items.ts";
import { endedAbruptly, type Look, lookOf } from "./looks.ts";

/** A span in words: a title, and lines of a label with its text. */
export interface SpanDescription {
  readonly title: string;
  readonly lines: readonly (readonly [string, string])[];
}

export const KIND_WORDS = {
  phase: "Phase",
  turn: "Turn",
  action: "Action",
  approval: "Approval",
  checkpoint: "Checkpoint",
  life: "Agent process",
  recovery: "Recovery",
} as const satisfies Record<SpanKind, string>;

const LOOK_WORDS = {
  done: "done",
  failed: "failed",
  unknown: "outcome unknown",
  running: "running",
  waiting: "waiting",
  stopped: "stopped",
} as const satisfies Record<Look, string>;

const OPENED_WORDS = {
  new: "started",
  resume: "resumed its own session",
  load: "loaded its own session",
  replay: "started with a summary of the conversation",
} as const satisfies Record<OpenWay, string>;

const SEVERAL_WORDS = {
  phase: "phases",
  turn: "turns",
  action: "actions",
  approval: "approvals",
  checkpoint: "checkpoints",
  life: "agent processes",
  recovery: "recoveries",
} as const satisfies Record<SpanKind, string>;

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function describeSpan(item: Item, now: number): SpanDescription {
  const { span, from, to } = item;
  const status = statusWords(span);
  const lines: (readonly [string, string])[] = [[KIND_WORDS[span.kind], status]];
  if (from === to) lines.push(["At", time.format(from)]);
  else {
    const isOpen = to === Infinity;
    lines.push(["From", time.format(from)]);
    lines.push(["To", isOpen ? "still running" : time.format(to)]);
    lines.push(["Duration", formatDuration(tookOf(item, now))]);
  }
  if (span.effects !== null) lines.push(["Effects", EFFECTS_WORDS[span.effects]]);
  return { title: nameOf(span), lines };
}

/** Several items that are drawn as one. */
export function describeSeveral(items: readonly Item[], now: number): SpanDescription {
  const [first] = items;
  if (!first || items.length === 1) {
    return first ? describeSpan(first, now) : { title: "", lines: [] };
  }
  const kinds = new Set(items.map(({ span }) => span.kind));
  const what = kinds.size === 1 ? SEVERAL_WORDS[first.span.kind] : "marks";
  const counts = countBy(items.map(({ span }) => statusWords(span)));
  const to = Math.min(
    now,
    items.reduce((last, item) => Math.max(last, item.to), 0),
  );
  return {
    title: `${items.length} ${what}`,
    lines: [
      ...counts.map(([word, count]) => [`${count}`, word] as const),
      ["From", time.format(first.from)],
      ["To", time.format(Math.max(first.from, to))],
    ],
  };
}

/** In one sentence, for screen readers. */
export function describeAloud({ title, lines }: SpanDescription): string {
  return [title, ...lines.map(([word, said]) => `${word} ${said}`)].join(". ");
}

export function nameOf({ kind, name }: Span): string {
  if (kind !== "life") return name;
  const way = Object.entries(OPENED_WORDS).find(([word]) => word === name);
  return `Agent ${way?.[1] ?? name}`;
}

export function statusWords(span: Span): string {
  const { kind, status, to } = span;
  if (span.unknown) return `${status ?? "open"}, outcome unknown`;
  if (kind === "phase" || kind === "checkpoint") return to === null ? "now" : "done";
  if (kind === "life" && endedAbruptly(status)) return "ended abruptly";
  if (kind === "life") return to === null ? "running" : `ended: ${status?.replaceAll("_", " ")}`;
  if (to === null) return LOOK_WORDS[lookOf(span)];
  return status?.replaceAll("-", " ") ?? LOOK_WORDS[lookOf(span)];
}

function countBy(words: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 5);
}
