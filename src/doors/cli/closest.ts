/** The known word that is closest to a mistyped one, if any is close. */
export function closest(typed: string, known: readonly string[]): string | undefined {
  const near = known
    .map((word) => ({ word, distance: editDistance(typed, word) }))
    .filter(
      ({ word, distance }) =>
        distance <= Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)),
    )
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.word;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
