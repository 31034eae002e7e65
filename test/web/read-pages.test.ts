import { expect, it } from "vitest";
import { readPages } from "../../web/src/api/read-pages.ts";

it("reads a list to its end, and stops in a list that is too long", async () => {
  const readAll = async (length: number) => {
    const asked: string[] = [];
    const { pages, more } = await readPages(async ({ cursor = "0" }) => {
      asked.push(cursor);
      const next = Number(cursor) + 1;
      return { next_cursor: next < length ? `${next}` : null };
    });
    return [pages.length, more, new Set(asked).size];
  };
  expect(await readAll(1)).toEqual([1, false, 1]);
  expect(await readAll(3)).toEqual([3, false, 3]);
  expect(await readAll(10)).toEqual([10, false, 10]);
  expect(await readAll(11)).toEqual([10, true, 10]);
});
