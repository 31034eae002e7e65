/** A time span in ms. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A part of the axis: time drawn to scale, or a pause drawn as a break. */
export interface Stretch extends Interval {
  readonly isBreak: boolean;
}

/** Shorter pauses count as work. */
const SHORTEST_BREAK_MS = 3000;
const LONGEST_USUAL_MS = 60_000;

/**
 * Divides a time span into work and breaks. Agents work for seconds and sleep for days: the shortest pauses stay as
 * long as their total is about as long as the work, and the others become breaks.
 */
export function findStretches(busy: readonly Interval[], whole: Interval): readonly Stretch[] {
  const margin = Math.min(60_000, Math.max(100, total(busy) / 100));
  const work = unite(busy.map(({ from, to }) => ({ from: from - margin, to: to + margin })))
    .map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) }))
    .filter(({ from, to }) => from < to);
  const breaks = choosePauses(pausesBetween(work, whole), total(work) + roomForMoments(busy));
  const stretches: Stretch[] = [];
  let at = whole.from;
  for (const pause of breaks) {
    if (pause.from > at) stretches.push({ from: at, to: pause.from, isBreak: false });
    stretches.push({ ...pause, isBreak: true });
    at = pause.to;
  }
  if (at < whole.to || stretches.length === 0) {
    stretches.push({ from: at, to: whole.to, isBreak: false });
  }
  return stretches;
}

/** Moments have no length to compare pauses with, so the usual distance to the next one counts. */
function roomForMoments(busy: readonly Interval[]): number {
  const united = unite(busy);
  const distances = united
    .flatMap(({ to }, nth) => {
      const next = united[nth + 1];
      return next ? [next.from - to] : [];
    })
    .sort((a, b) => a - b);
  const usual = distances[(distances.length - 1) >> 1] ?? 0;
  const moments = united.filter(({ from, to }) => from === to).length;
  return moments * Math.min(LONGEST_USUAL_MS, usual);
}

/** Sorted, and without overlaps. */
export function unite(intervals: readonly Interval[]): readonly Interval[] {
  const united: Interval[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last && from <= last.to) united[united.length - 1] = { ...last, to: Math.max(last.to, to) };
    else united.push({ from, to });
  }
  return united;
}

/** The first intervals without the second; both are united. */
export function subtract(
  some: readonly Interval[],
  others: readonly Interval[],
): readonly Interval[] {
  const left: Interval[] = [];
  let next = 0;
  for (const { from, to } of some) {
    let at = from;
    while ((others[next]?.to ?? Infinity) <= from) next += 1;
    for (let nth = next; nth < others.length; nth += 1) {
      const other = others[nth];
      if (!other || other.from >= to) break;
      if (other.from > at) left.push({ from: at, to: other.from });
      at = Math.max(at, other.to);
    }
    if (at < to || from === to) left.push({ from: Math.min(at, to), to });
  }
  return left;
}

function pausesBetween(work: readonly Interval[], whole: Interval): readonly Interval[] {
  const starts = [...work.map(({ from }) => from), whole.to];
  const ends = [whole.from, ...work.map(({ to }) => to)];
  return ends.flatMap((from, nth) => {
    const to = starts[nth] ?? from;
    return to > from ? [{ from, to }] : [];
  });
}

function choosePauses(pauses: readonly Interval[], work: number): readonly Interval[] {
  const byLength = [...pauses].sort((a, b) => a.to - a.from - (b.to - b.from));
  const breaks = new Set<Interval>();
  let kept = 0;
  for (const pause of byLength) {
    const length = pause.to - pause.from;
    if (length >= SHORTEST_BREAK_MS && kept + length > work) breaks.add(pause);
    else kept += length;
  }
  return pauses.filter((pause) => breaks.has(pause));
}

function total(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + to - from, 0);
}
