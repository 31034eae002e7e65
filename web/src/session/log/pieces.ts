/** A part of an item's text; offsets count UTF-16 units from the start of the item. */
export interface Piece {
  readonly offset: number;
  readonly text: string;
}

/** Inserts a piece at its offset. Known text stays unchanged, however the new piece is cut. */
export function addPiece(pieces: readonly Piece[], piece: Piece): readonly Piece[] {
  const last = pieces.at(-1);
  // The usual case: it continues at the end of the text.
  if (last && piece.offset >= last.offset && piece.offset <= endOf(last)) {
    const news = piece.text.slice(endOf(last) - piece.offset);
    return news === "" ? pieces : [...pieces.slice(0, -1), { ...last, text: last.text + news }];
  }
  const parts = [...pieces, ...gapsFilledBy(pieces, piece)];
  return join(parts.sort((a, b) => a.offset - b.offset));
}

/** The text up to an offset. */
export function cutPieces(pieces: readonly Piece[], end: number): readonly Piece[] {
  return pieces.flatMap((piece) =>
    piece.offset >= end ? [] : [{ ...piece, text: piece.text.slice(0, end - piece.offset) }],
  );
}

export function endOfPieces(pieces: readonly Piece[]): number {
  const last = pieces.at(-1);
  return last ? endOf(last) : 0;
}

function endOf({ offset, text }: Piece): number {
  return offset + text.length;
}

function gapsFilledBy(pieces: readonly Piece[], piece: Piece): Piece[] {
  let rest: Piece[] = [piece];
  for (const known of pieces) {
    rest = rest.flatMap(({ offset, text }) => {
      const before = text.slice(0, Math.max(0, known.offset - offset));
      const after = text.slice(Math.max(0, endOf(known) - offset));
      const afterAt = Math.max(offset, endOf(known));
      return [
        { offset, text: before },
        { offset: afterAt, text: after },
      ].filter(({ text: left }) => left !== "");
    });
  }
  return rest;
}

function join(parts: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && endOf(last) === part.offset) {
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    } else joined.push(part);
  }
  return joined;
}
