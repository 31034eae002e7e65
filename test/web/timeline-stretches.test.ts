import { describe, expect, it } from "vitest";
import { findStretches, subtract, unite } from "../../web/src/timeline/time/stretches.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("work and breaks", () => {
  it("shows the night between two days of work as a break", () => {
    const busy = [
      { from: 0, to: 2 * HOUR },
      { from: DAY, to: DAY + HOUR },
    ];
    const found = findStretches(busy, { from: 0, to: DAY + HOUR });
    expect(found.map(({ isBreak }) => isBreak)).toEqual([false, true, false]);
    const [, night] = found;
    expect(night?.from).toBeGreaterThanOrEqual(2 * HOUR);
    expect(night?.to).toBeLessThanOrEqual(DAY);
  });

  it("keeps short pauses as part of the work", () => {
    const busy = [
      { from: 0, to: 5000 },
      { from: 7000, to: 12_000 },
    ];
    expect(findStretches(busy, { from: 0, to: 12_000 })).toEqual([
      { from: 0, to: 12_000, isBreak: false },
    ]);
  });

  it("shows many equal pauses as breaks if they are longer than all the work", () => {
    const busy = Array.from({ length: 20 }, (_, nth) => ({
      from: nth * HOUR,
      to: nth * HOUR + 5000,
    }));
    const found = findStretches(busy, { from: 0, to: 19 * HOUR + 5000 });
    expect(found.filter(({ isBreak }) => isBreak)).toHaveLength(19);
  });

  it("keeps usual pauses, and shows only unusual ones as breaks", () => {
    const moments = (start: number) =>
      Array.from({ length: 30 }, (_, nth) => ({
        from: start + nth * 28_000,
        to: start + nth * 28_000,
      }));
    const busy = [...moments(0), ...moments(2 * DAY)];
    const found = findStretches(busy, { from: 0, to: 2 * DAY + 29 * 28_000 });
    expect(found.map(({ isBreak }) => isBreak)).toEqual([false, true, false]);
  });

  it("shows the time after a burst as a break, however many moments the burst had", () => {
    const busy = Array.from({ length: 200 }, (_, nth) => ({ from: nth * 20, to: nth * 20 }));
    const found = findStretches(busy, { from: 0, to: 20 * 60_000 });
    expect(found.map(({ isBreak }) => isBreak)).toEqual([false, true]);
  });

  it("covers the whole time without gaps or overlaps", () => {
    const busy = Array.from({ length: 50 }, (_, nth) => ({
      from: nth * nth * 60_000,
      to: nth * nth * 60_000 + nth * 700,
    }));
    const whole = { from: -5000, to: 50 * 50 * 60_000 };
    const found = findStretches(busy, whole);
    expect(found[0]?.from).toBe(whole.from);
    expect(found.at(-1)?.to).toBe(whole.to);
    for (const [nth, stretch] of found.entries()) {
      expect(stretch.to).toBeGreaterThan(stretch.from);
      expect(found[nth + 1]?.from ?? whole.to).toBe(stretch.to);
    }
  });

  it("is one stretch without any work", () => {
    expect(findStretches([], { from: 0, to: 1000 })).toEqual([
      { from: 0, to: 1000, isBreak: false },
    ]);
  });
});

describe("intervals", () => {
  it("joins intervals that overlap or touch", () => {
    expect(
      unite([
        { from: 5, to: 9 },
        { from: 0, to: 3 },
        { from: 3, to: 4 },
        { from: 6, to: 7 },
      ]),
    ).toEqual([
      { from: 0, to: 4 },
      { from: 5, to: 9 },
    ]);
  });

  it("removes waiting from running time", () => {
    const some = [{ from: 0, to: 10 }];
    const waits = [
      { from: 2, to: 4 },
      { from: 8, to: 20 },
    ];
    expect(subtract(some, waits)).toEqual([
      { from: 0, to: 2 },
      { from: 4, to: 8 },
    ]);
  });

  it("leaves nothing of an interval that was only waiting", () => {
    expect(subtract([{ from: 2, to: 4 }], [{ from: 0, to: 9 }])).toEqual([]);
  });
});
