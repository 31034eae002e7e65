import { describe, expect, it } from "vitest";
import { drawLane } from "../../web/src/timeline/picture/draw-lane.ts";
import { placeShapes, shapeAt } from "../../web/src/timeline/picture/place-shapes.ts";
import { itemsOf } from "../../web/src/timeline/spans/items.ts";
import { packLanes, visibleIn } from "../../web/src/timeline/spans/lanes.ts";
import { layTracks } from "../../web/src/timeline/spans/lay-tracks.ts";
import { makeFrame, zoomAt } from "../../web/src/timeline/time/frame.ts";
import { sessionOf, span } from "./spans-fixture.ts";

const frameOf = (to: number, width: number) =>
  makeFrame([{ from: 0, to, isBreak: false }], width, null);

describe("lanes", () => {
  it("put simultaneous spans on different lines", () => {
    const items = itemsOf(
      sessionOf([span("action", 1, 0, 10), span("action", 2, 5, 20), span("action", 3, 10, 15)]),
    );
    const seqs = packLanes(items, 8).map((lane) => lane.items.map((item) => item.span.seq));
    expect(seqs).toEqual([[1, 3], [2]]);
  });

  it("are never more than allowed", () => {
    const items = itemsOf(
      sessionOf(Array.from({ length: 30 }, (_, nth) => span("action", nth + 1, nth, 100))),
    );
    const lanes = packLanes(items, 4);
    expect(lanes).toHaveLength(4);
    expect(lanes.flatMap((lane) => lane.items)).toHaveLength(30);
  });

  it("keep a line for a span that still runs", () => {
    const items = itemsOf(sessionOf([span("action", 1, 0, null), span("action", 2, 500, 600)]));
    expect(packLanes(items, 8)).toHaveLength(2);
  });

  it("find visible spans, also those that started long before", () => {
    const items = itemsOf(
      sessionOf([
        span("action", 1, 0, 1000),
        ...Array.from({ length: 50 }, (_, nth) => span("action", nth + 2, nth + 1, nth + 2)),
        span("action", 90, 995, 999),
        span("action", 91, 2000, 2100),
      ]),
    );
    const [lane] = packLanes(items, 1);
    const seqs = lane ? visibleIn(lane, { from: 990, to: 1990 }).map((i) => i.span.seq) : [];
    expect(seqs).toEqual([1, 90]);
  });
});

describe("shapes", () => {
  it("merge spans on the same pixels, with their number", () => {
    const spans = Array.from({ length: 5000 }, (_, nth) =>
      span("action", nth + 1, nth * 10, nth * 10 + 5, { status: "completed" }),
    );
    const [lane] = packLanes(itemsOf(sessionOf(spans)), 1);
    const drawn = lane ? drawLane(lane, frameOf(50_000, 500), 50_000, 3) : [];
    expect(drawn.length).toBeLessThanOrEqual(Math.ceil(500 / 3) + 1);
    expect(drawn.reduce((sum, { items }) => sum + items.length, 0)).toBe(5000);
  });

  it("show the most important of merged spans", () => {
    const done = { status: "completed" };
    const spans = [
      span("action", 1, 0, 1, done),
      span("action", 2, 2, 3, { status: "failed" }),
      span("action", 3, 4, 5, done),
      span("action", 4, 9000, 9999, done),
    ];
    const [lane] = packLanes(itemsOf(sessionOf(spans)), 1);
    const drawn = lane ? drawLane(lane, frameOf(10_000, 100), 10_000, 3) : [];
    expect(drawn.map(({ look, items }) => [look, items.length])).toEqual([
      ["failed", 3],
      ["done", 1],
    ]);
  });

  it("separate when one zooms in", () => {
    const spans = [span("action", 1, 0, 100), span("action", 2, 200, 300)];
    const [lane] = packLanes(itemsOf(sessionOf(spans)), 1);
    const far = frameOf(100_000, 500);
    const near = makeFrame(far.stretches, 500, zoomAt(far, 100, 0));
    expect(lane && drawLane(lane, far, 100_000, 3)).toHaveLength(1);
    expect(lane && drawLane(lane, near, 100_000, 3)).toHaveLength(2);
  });

  it("stay narrow if they are merged, so that one failure does not colour its neighbours", () => {
    const spans = Array.from({ length: 100 }, (_, nth) =>
      span("action", nth + 1, nth * 10, nth * 10 + 5, { status: nth === 50 ? "failed" : "ok" }),
    );
    const [lane] = packLanes(itemsOf(sessionOf(spans)), 1);
    const drawn = lane ? drawLane(lane, frameOf(1000, 60), 1000, 3) : [];
    expect(drawn.every(({ x0, x1 }) => x1 - x0 <= 3)).toBe(true);
    expect(drawn.filter(({ look }) => look === "failed")).toHaveLength(1);
  });

  it("grow with the clock while they run", () => {
    const [lane] = packLanes(itemsOf(sessionOf([span("action", 1, 0, null)])), 1);
    const widthAt = (now: number) => {
      const [shape] = lane ? drawLane(lane, frameOf(1000, 1000), now, 3) : [];
      return shape ? shape.x1 - shape.x0 : 0;
    };
    expect(widthAt(400)).toBeCloseTo(400);
    expect(widthAt(600)).toBeCloseTo(600);
  });

  it("draw only spans in the window", () => {
    const spans = Array.from({ length: 1000 }, (_, nth) =>
      span("action", nth + 1, nth * 1000, nth * 1000 + 900),
    );
    const [lane] = packLanes(itemsOf(sessionOf(spans)), 1);
    const far = frameOf(1_000_000, 500);
    const near = makeFrame(far.stretches, 500, zoomAt(far, 100, 250));
    expect(lane ? drawLane(lane, near, 1_000_000, 3).length : 0).toBeLessThan(20);
  });
});

describe("the target of a pointer", () => {
  const laid = layTracks(
    itemsOf(
      sessionOf([
        span("turn", 1, 0, 400),
        span("action", 2, 500, 600),
        span("action", 3, 550, 700),
        span("checkpoint", 4, 800, 800),
      ]),
    ),
  );
  const shapes = placeShapes(laid, frameOf(1000, 1000), 1000);
  const yOf = (name: string) => (laid.tracks.find((track) => track.name === name)?.y ?? 0) + 5;
  const seqAt = (x: number, y: number) => shapeAt(shapes, x, y)?.drawn.items[0]?.span.seq;

  it("is the shape on its line", () => {
    expect(seqAt(200, yOf("turns"))).toBe(1);
    expect(seqAt(560, yOf("actions"))).toBe(2);
    expect(seqAt(560, yOf("actions") + 15)).toBe(3);
  });

  it("is the nearest one, if it is near enough", () => {
    expect(seqAt(403, yOf("turns"))).toBe(1);
    expect(seqAt(430, yOf("turns"))).toBeUndefined();
  });

  it("is a mark within a distance on both sides", () => {
    expect(seqAt(794, yOf("marks"))).toBe(4);
    expect(seqAt(806, yOf("marks"))).toBe(4);
  });
});

it("leaves out empty lines", () => {
  const { tracks, height } = layTracks(
    itemsOf(sessionOf([span("turn", 1, 0, 10), span("checkpoint", 2, 5, 5)])),
  );
  expect(tracks.map(({ name }) => name)).toEqual(["turns", "marks"]);
  expect(height).toBeGreaterThan((tracks[1]?.y ?? 0) + 10);
});
