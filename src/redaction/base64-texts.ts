/** A text that stands in another one in base64, and the mapping of its offsets to that one. */
interface EncodedText {
  /** One character for each byte. */
  readonly text: string;
  /** The part of the outer text that contains these bytes. */
  rangeOf(start: number, end: number): { readonly start: number; readonly end: number };
}

/** Either alphabet, in one piece or in the lines that programs break it into. */
const BASE64 =
  /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{64}(?:[A-Za-z0-9+/_-]{12})?\r?\n){0,10000}[A-Za-z0-9+/_-]{16,}={0,2}/g;

/** The texts that stand in a text in base64. Other bytes, such as images, are left out. */
export function* base64Texts(text: string): Generator<EncodedText> {
  for (const { 0: run, index } of text.matchAll(BASE64)) {
    if (!isText(Buffer.from(run.slice(0, SAMPLE), "base64"))) continue;
    const bytes = Buffer.from(run, "base64");
    const line = run.search(/[\r\n]/);
    const broken = line < 0 ? 0 : run.indexOf("\n") + 1 - line;
    // Offsets count the characters of the line breaks too.
    const place = (digit: number) =>
      index + digit + (line < 0 ? 0 : Math.floor(digit / line) * broken);
    yield {
      text: bytes.toString("latin1"),
      rangeOf: (start, end) => ({
        start: place(Math.floor(start / 3) * 4),
        end: Math.min(index + run.length, place(Math.ceil(end / 3) * 4 - 1) + 1),
      }),
    };
  }
}

const SAMPLE = 64;

function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
}
