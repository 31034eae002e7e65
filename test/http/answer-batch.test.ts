import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { AnswerBatch } from "../../src/doors/http/answer-batch.ts";

test("a few answers are sent at once", async () => {
  const { batch, sent } = startBatch();
  for (let turn = 0; turn < 3; turn++) {
    batch.add(() => sent.push(turn));
    expect(sent).toHaveLength(turn + 1);
    await nextTurn();
  }
});

test("after a turn with many answers, those of the next one are sent in order at its end", async () => {
  const { batch, sent } = startBatch();
  addMany(batch, sent);
  expect(sent).toEqual([1, 2, 3, 4]);
  await nextTurn();
  addMany(batch, sent);
  expect(sent).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(sent).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
});

test("an answer does not wait for many others", async () => {
  const { batch, sent } = startBatch();
  addMany(batch, sent);
  await nextTurn();
  batch.add(() => sent.push(5));
  expect(sent).toHaveLength(4);
  const end = performance.now() + 2;
  while (performance.now() < end);
  batch.add(() => sent.push(6));
  expect(sent).toEqual([1, 2, 3, 4, 5, 6]);
});

function startBatch() {
  const sent: number[] = [];
  return { batch: new AnswerBatch(), sent };
}

function addMany(batch: AnswerBatch, sent: number[]): void {
  for (const n of [1, 2, 3, 4]) batch.add(() => sent.push(n));
}
