import { describe, expect, it } from "vitest";
import {
  type Frame,
  isWhole,
  makeFrame,
  panBy,
  placeOf,
  reveal,
  zoomAt,
  zoomTo,
} from "../../web/src/timeline/time/frame.ts";
import { findTicks } from "../../web/src/timeline/time/ticks.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WIDTH = 1000;
/** Ten minutes of work, two idle days, ten minutes of work. */
const STRETCHES = [
  { from: 0, to: 10 * MINUTE, isBreak: false },
  { from: 10 * MINUTE, to: 2 * DAY, isBreak: true },
  { from: 2 * DAY, to: 2 * DAY + 10 * MINUTE, isBreak: false },
];
const END = 2 * DAY + 10 * MINUTE;

describe("the position of a time", () => {
  const frame = makeFrame(STRETCHES, WIDTH, null);

  it("fits everything into the window", () => {
    expect(placeOf(frame, 0)).toBe(0);
    expect(placeOf(frame, END)).toBeCloseTo(WIDTH);
    expect(isWhole(frame)).toBe(true);
  });

  it("gives a break a few pixels, whatever its duration", () => {
    const wide = placeOf(frame, 2 * DAY) - placeOf(frame, 10 * MINUTE);
    expect(wide).toBeGreaterThan(10);
    expect(wide).toBeLessThan(40);
  });

  it("converts a time to its position and back", () => {
    for (const time of [0, 1234, 9 * MINUTE, 2 * DAY + 1, END]) {
      expect(frame.scale.timeOf(frame.scale.xOf(time))).toBeCloseTo(time, 3);
    }
  });

  it("never runs backwards", () => {
    const places = Array.from({ length: 200 }, (_, nth) => placeOf(frame, (nth / 199) * END));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it("leaves room for work with hundreds of breaks", () => {
    const many = Array.from({ length: 801 }, (_, nth) => ({
      from: nth * 1000,
      to: (nth + 1) * 1000,
      isBreak: nth % 2 === 1,
    }));
    const { scale } = makeFrame(many, WIDTH, null);
    const work = scale.pieces.reduce((sum, p) => sum + (p.isBreak ? 0 : p.x1 - p.x0), 0);
    expect(scale.length).toBeCloseTo(WIDTH);
    expect(work).toBeGreaterThan(WIDTH / 2);
  });
});

describe("zooming", () => {
  const whole = makeFrame(STRETCHES, WIDTH, null);
  const zoomed = (frame: Frame, factor: number, at: number): Frame =>
    makeFrame(STRETCHES, WIDTH, zoomAt(frame, factor, at));

  it("keeps the time under the pointer in place", () => {
    const time = whole.scale.timeOf(300);
    expect(placeOf(zoomed(whole, 4, 300), time)).toBeCloseTo(300);
  });

  it("ends with the whole time when one zooms out", () => {
    expect(zoomAt(zoomed(whole, 4, 300), 1 / 8, 300)).toBeNull();
  });

  it("stops when a millisecond is two pixels", () => {
    expect(zoomed(whole, 1e9, 300).scale.pxPerMs).toBe(2);
  });

  it("shows a span in the middle", () => {
    const span = { from: 4 * MINUTE, to: 5 * MINUTE };
    const frame = makeFrame(STRETCHES, WIDTH, zoomTo(whole, span));
    expect(placeOf(frame, span.from)).toBeCloseTo(100, 0);
    expect(placeOf(frame, span.to)).toBeCloseTo(900, 0);
  });

  it("pans no further than to the ends", () => {
    const frame = zoomed(whole, 4, 500);
    expect(placeOf(makeFrame(STRETCHES, WIDTH, panBy(frame, -1e6)), 0)).toBeCloseTo(0);
    expect(placeOf(makeFrame(STRETCHES, WIDTH, panBy(frame, 1e6)), END)).toBeCloseTo(WIDTH);
  });

  it("moves only for times that are not visible", () => {
    const view = zoomAt(whole, 8, 0);
    const frame = makeFrame(STRETCHES, WIDTH, view);
    expect(reveal(frame, view, { from: 1000, to: 2000 })).toBe(view);
    const moved = makeFrame(STRETCHES, WIDTH, reveal(frame, view, { from: END - 5, to: END }));
    expect(placeOf(moved, END)).toBeLessThanOrEqual(WIDTH + 1);
    expect(placeOf(moved, END)).toBeGreaterThan(0);
  });
});

describe("the labels of the axis", () => {
  const utc = () => 0;

  it("are round, and apart from each other", () => {
    const ticks = findTicks(makeFrame(STRETCHES, WIDTH, null), utc);
    expect(ticks.length).toBeGreaterThan(4);
    for (const [nth, { time, x }] of ticks.entries()) {
      expect(time % (2 * MINUTE)).toBe(0);
      if (nth > 0) expect(x - (ticks[nth - 1]?.x ?? 0)).toBeGreaterThanOrEqual(84);
    }
  });

  it("name each day once", () => {
    const ticks = findTicks(makeFrame(STRETCHES, WIDTH, null), utc);
    expect(ticks.filter(({ isNewDay }) => isNewDay)).toHaveLength(2);
  });

  it("begin days at midnight on the wall", () => {
    const stretches = [{ from: 0, to: 10 * DAY, isBreak: false }];
    const two = () => 2 * 60 * MINUTE;
    for (const { time } of findTicks(makeFrame(stretches, WIDTH, null), two)) {
      expect((time + two()) % DAY).toBe(0);
    }
  });

  it("name the start of a stretch without a round time", () => {
    const stretches = [
      { from: 3, to: 60_003, isBreak: false },
      { from: 60_003, to: DAY, isBreak: true },
      { from: DAY + 1, to: DAY + 20_000, isBreak: false },
    ];
    const times = findTicks(makeFrame(stretches, 400, null), utc).map(({ time }) => time);
    expect(times).toContain(DAY + 1);
  });
});
