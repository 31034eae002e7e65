import type { StreamKind } from "../../contract/vocabulary.ts";
import type { StatusTally } from "../stream-store.ts";
import type { MemoryStream } from "./memory-backing.ts";

export function tallyStreams(
  streams: Iterable<MemoryStream>,
  kind: StreamKind,
  owner: string,
): StatusTally[] {
  const tallies = new Map<string, StatusTally>();
  for (const stream of streams) {
    const { listing } = stream;
    if (!listing || stream.kind !== kind || stream.owner !== owner) continue;
    const { status } = listing;
    const known = tallies.get(status) ?? { status, streams: 0, waiting: 0 };
    tallies.set(status, {
      status,
      streams: known.streams + 1,
      waiting: known.waiting + listing.waiting,
    });
  }
  return [...tallies.values()];
}
