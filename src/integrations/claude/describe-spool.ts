import type { Fact } from "../../store/store-care.ts";
import type { SpoolPlaces } from "./spool.ts";
import { listRejected, listSpool } from "./spool.ts";

/** The lines of `doctor` about sightings that are not written yet. */
export function describeSpool(places: SpoolPlaces): Fact[] {
  const waiting = listSpool(places).length;
  const fix = waiting === 0 ? null : "they are delivered by the next command that can write";
  const [first, ...others] = listRejected(places);
  const look = `${first}${others.length > 0 ? ` and ${others.length} more` : ""}: look at them, then remove them`;
  return [
    fact("hook events that wait", String(waiting), fix),
    ...(first === undefined
      ? []
      : [fact("hook events set aside", String(1 + others.length), look)]),
  ];
}

function fact(name: string, value: string, fix: string | null): Fact {
  return { name, value, ok: fix === null, fix };
}
