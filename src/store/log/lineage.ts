/**
 * The streams whose events come before a stream's own, as a flat list, nearest ancestor last. Each
 * covers the events after the previous one.
 */
export type Lineage = readonly Ancestor[];
interface Ancestor {
  readonly sid: number;
  readonly upto: number;
}

/** A range of a stream's log, and the stream that wrote it. */
export interface Segment {
  readonly sid: number;
  readonly from: number;
  readonly to: number;
}

export interface Inheriting {
  readonly sid: number;
  readonly seq: number;
  readonly lineage: Lineage;
}

/** The stream's own events come last; that segment is empty before the first of them. */
export function segmentsOf({ sid, seq, lineage }: Inheriting): Segment[] {
  let from = 1;
  const segments = lineage.map((ancestor) => {
    const segment = { sid: ancestor.sid, from, to: ancestor.upto };
    from = ancestor.upto + 1;
    return segment;
  });
  segments.push({ sid, from, to: seq });
  return segments;
}

/** The segments that hold these events. */
export function segmentsWithin(stream: Inheriting, from: number, to: number): Segment[] {
  if (stream.lineage.length === 0) return from > to ? [] : [{ sid: stream.sid, from, to }];
  return segmentsOf(stream)
    .map((segment) => ({
      ...segment,
      from: Math.max(from, segment.from),
      to: Math.min(to, segment.to),
    }))
    .filter((segment) => segment.from <= segment.to);
}

/**
 * The lineage of a stream that continues this one after `seq`. It skips streams that only inherited
 * that event.
 */
export function lineageAfter(stream: Inheriting, seq: number): Lineage {
  return segmentsOf(stream)
    .filter((segment) => segment.from <= seq)
    .map(({ sid, to }) => ({ sid, upto: Math.min(to, seq) }));
}

export function firstOwnSeq({ lineage }: Pick<Inheriting, "lineage">): number {
  return (lineage.at(-1)?.upto ?? 0) + 1;
}
