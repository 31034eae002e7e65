interface Line {
  positionOf(id: string): number | null;
  onMoved(listener: () => void): () => void;
}

interface WaitingEvent {
  readonly type: "waiting";
  readonly position: number;
}

/**
 * Adds the session's position in the line for a free agent to what is read about it, whenever it changes. The items must
 * end when the reader leaves, by a signal of theirs.
 */
export async function* withPositions<Item extends object>(
  line: Line,
  id: string,
  items: AsyncGenerator<Item>,
): AsyncGenerator<Item | WaitingEvent> {
  let told: number | null = null;
  let moved = Promise.withResolvers<null>();
  // Only if this session has moved: each call leaves something behind until the next item comes.
  const stopListening = line.onMoved(() => {
    if (line.positionOf(id) !== told) moved.resolve(null);
  });
  try {
    for (let next = items.next(); ; ) {
      const position = line.positionOf(id);
      if (position !== null && position !== told) yield { type: "waiting", position };
      told = position;
      const read = await Promise.race([next, moved.promise]);
      if (read === null) {
        moved = Promise.withResolvers();
        continue;
      }
      if (read.done === true) return;
      yield read.value;
      next = items.next();
    }
  } finally {
    stopListening();
  }
}
