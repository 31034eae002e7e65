import type { Fact } from "../../store/store-care.ts";
import type { SpoolPlaces } from "./spool.ts";
import { listRejected, listSpool } from "./spool.ts";

/** The lines of `doctor` about sightings that are not written yet. */
export function describeSpool(places: SpoolPlaces): Fact[] {
  const waiting = listSpool(places).length;
  const fix = waiting === 0 ? null : "the next command that can write stores them";
  const [first, ...others] = listRejected(places);
  const look = `${first}${others.length > 0 ? ` and ${others.length} more` : ""}: read them, then remove them`;
  return [
    fact("hook events not stored yet", String(waiting), fix),
    ...(first === undefined ? [] : [fact("rejected hook events", String(1 + others.length), look)]),
  ];
}

function fact(name: string, value: string, fix: string | null): Fact {
  return { name, value, ok: fix === null, fix };
}
