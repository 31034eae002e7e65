import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { AnswerBatch } from "../../src/interfaces/http/answer-batch.ts";

test("answers of one turn of the event loop are sent in order at its end", async () => {
  const sent: number[] = [];
  const batch = new AnswerBatch();
  for (const n of [1, 2, 3]) batch.add(() => sent.push(n));
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent).toEqual([1, 2, 3]);
  batch.add(() => sent.push(4));
  await nextTurn();
  expect(sent).toEqual([1, 2, 3, 4]);
});

test("an answer does not wait for many others", () => {
  const sent: number[] = [];
  const batch = new AnswerBatch();
  batch.add(() => sent.push(1));
  const end = performance.now() + 2;
  while (performance.now() < end);
  batch.add(() => sent.push(2));
  expect(sent).toEqual([1, 2]);
});
