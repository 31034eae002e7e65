import fc from "fast-check";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { jsonBytes, mostJsonBytes } from "../../src/core/text-size.ts";
import { PageRoom } from "../../src/service/read/page-room.ts";

it("the estimate of a JSON size is never too small", () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true }), (value) => {
      expect(mostJsonBytes(value)).toBeGreaterThanOrEqual(jsonBytes(value));
    }),
    { numRuns: 500 },
  );
  for (const text of ["\u0000\u001f", "\ud800", "ä€😀", '"\\']) {
    expect(mostJsonBytes({ [text]: text })).toBeGreaterThanOrEqual(jsonBytes({ [text]: text }));
  }
  expect(mostJsonBytes(-Math.PI * 1e-300)).toBeGreaterThanOrEqual(jsonBytes(-Math.PI * 1e-300));
});

it("a page ends exactly where its items have more bytes than allowed", () => {
  const size = fc.integer({ min: 0, max: LIMITS.PAGE_BYTES / 2 });
  fc.assert(
    fc.property(fc.array(size, { maxLength: 12 }), (sizes) => {
      const items = sizes.map((bytes) => "x".repeat(bytes));
      const room = new PageRoom();
      let left = LIMITS.PAGE_BYTES;
      for (const [nth, item] of items.entries()) {
        left -= jsonBytes(item);
        const fits = room.fits(item);
        expect(fits).toBe(left >= 0 || nth === 0);
        if (!fits) return;
      }
    }),
    { numRuns: 50 },
  );
});
