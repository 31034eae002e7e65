/** The scroll position of a list by its filters, for returning from a session. */
interface ScrollPosition {
  readonly top: number;
  readonly current: string | null;
}

/** A smaller distance from the top counts as the top. */
export const TOP_PX = 40;

const places = new Map<string, ScrollPosition>();
const START: ScrollPosition = { top: 0, current: null };

export function placeIn(name: string): ScrollPosition {
  return places.get(name) ?? START;
}

export function rememberPlace(name: string, place: Partial<ScrollPosition>): void {
  places.set(name, { ...placeIn(name), ...place });
}
