/** The mark of a shortened text, as `shortenText` writes it. */
const MARK = / … [\d,.]{1,20} characters? hidden … /g;
/** The two ends of a private key, whose other half may be hidden. */
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const CLOSE = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const BEGINS = "-----BEGIN ";
const CUT = "[redacted:cut]";
/** A longer word is cut here. */
const LONGEST_WORD = 8192;
const BESIDE_WORD = /[\s"'`\\]/;

/**
 * A shortened text without the words at its cuts: half of a secret looks like no secret, and would stay. It takes time in
 * proportion to the text, however many marks and keys are in it.
 */
export function dropCutEdges(text: string): string {
  const marks = text.match(MARK) ?? [];
  const pieces = text.split(MARK);
  const dropped: string[] = [];
  // From the end on: a key that ends after a later cut has begun before this one.
  let isInKey = false;
  for (let n = marks.length; n >= 0; n -= 1) {
    const piece = pieces[n] ?? "";
    const ends = n > 0 && endOfKey(piece) !== null;
    isInKey = ends || (isInKey && n > 0 && !piece.includes(BEGINS));
    const start = n > 0 ? dropStart(piece, isInKey && !ends) : piece;
    dropped.push(n < marks.length ? dropEnd(start) + marks[n] : start);
  }
  return dropped.reverse().join("");
}

/** The rest of a key or of a word before a cut. */
function dropEnd(piece: string): string {
  const from = piece.lastIndexOf("-----END ") + 1;
  BEGIN.lastIndex = from;
  const open = BEGIN.exec(piece);
  if (open) return piece.slice(0, open.index) + CUT;
  let start = piece.length;
  const first = Math.max(0, start - LONGEST_WORD);
  while (start > first && !BESIDE_WORD.test(piece.charAt(start - 1))) start -= 1;
  return start === piece.length ? piece : piece.slice(0, start) + CUT;
}

/** The same after a cut. */
function dropStart(piece: string, isInKey: boolean): string {
  if (isInKey) return CUT;
  const end = endOfKey(piece);
  if (end !== null) return CUT + piece.slice(end);
  let word = 0;
  const last = Math.min(piece.length, LONGEST_WORD);
  while (word < last && !BESIDE_WORD.test(piece.charAt(word))) word += 1;
  return word === 0 ? piece : CUT + piece.slice(word);
}

/** Where a key ends that began before this text; null if there is none. */
function endOfKey(piece: string): number | null {
  const close = CLOSE.exec(piece);
  if (!close) return null;
  const begin = piece.indexOf(BEGINS);
  return begin >= 0 && begin < close.index ? null : close.index + close[0].length;
}
