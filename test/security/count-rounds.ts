/** The answer of the work, and the number of times that others could be answered in between. */
export async function countRounds<T>(
  work: () => Promise<T>,
): Promise<{ readonly rounds: number; readonly answer: T }> {
  let rounds = 0;
  let isDone = false;
  const count = (): void => {
    rounds += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  try {
    const answer = await work();
    return { rounds, answer };
  } finally {
    isDone = true;
  }
}
