import type { ListingDeclaration } from "../../contract/stream.ts";
import type { StreamKind } from "../../contract/vocabulary.ts";
import type { Tally } from "../stream-store.ts";
import type { ListedStream } from "./list-streams.ts";

export function tallyStreams(
  streams: Iterable<ListedStream>,
  kind: StreamKind,
  owner: string,
  { tally: { by, sum } }: ListingDeclaration,
): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const stream of streams) {
    const { listing } = stream;
    if (!listing || stream.kind !== kind || stream.owner !== owner) continue;
    const value = String(listing[by]);
    const known = tallies.get(value) ?? { value, streams: 0, sum: 0 };
    tallies.set(value, {
      value,
      streams: known.streams + 1,
      sum: known.sum + Number(listing[sum]),
    });
  }
  return [...tallies.values()];
}
