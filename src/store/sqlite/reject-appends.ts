import { BelayError, refuse } from "../../contract/errors.ts";
import type { Append, StreamRef } from "../stream-store.ts";
import { placeOf } from "./warm-streams.ts";

/** Decisions that are wrong in themselves. Nobody could retry them with more luck, so they throw. */

export function rejectUndeclared(
  streams: readonly StreamRef[],
  loaded: readonly ({ readonly id: string } | undefined)[],
  appends: readonly Append[],
): void {
  const ids = new Set(loaded.map((stream) => stream?.id));
  const places = new Set(streams.map((ref) => ("id" in ref ? "" : placeOf(ref))));
  for (const { id, create } of appends) {
    const isDeclared = create
      ? places.has(placeOf(create)) && (!create.base || ids.has(create.base.id))
      : ids.has(id);
    if (!isDeclared) throw broken(`${id} needs streams that its transaction did not declare`);
  }
}

export function rejectTwice(appends: readonly Append[]): void {
  if (appends.length < 2) return;
  const places = appends.flatMap(({ id, create }) => (create ? [id, placeOf(create)] : [id]));
  if (new Set(places).size < places.length) throw broken("two appends to one stream");
}

export function rejectMisnumbered({ id, events }: Append, before: number): void {
  if (events.length === 0) throw broken(`append to ${id} without events`);
  for (const [index, { seq }] of events.entries()) {
    const next = before + index + 1;
    if (seq !== next) throw broken(`event ${seq} of ${id} where ${next} is next`);
  }
}

function broken(message: string): BelayError {
  return new BelayError(refuse("internal", message));
}
