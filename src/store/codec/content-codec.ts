/** The place of a content: the stream and the event that wrote it. */
export interface ContentPlace {
  /** The stream that wrote it; for inherited content, an ancestor. */
  readonly writer: string;
  readonly seq: number;
  readonly part: "body" | "head" | "patch";
}

/** A content as the caller passed it, and its size as JSON. */
export interface DecodedContent {
  readonly value: unknown;
  readonly bytes: number;
}

/** Converts contents between their original and their stored form. */
export interface ContentCodec {
  /** Returns the same value if nothing changes, else bytes. */
  encode(value: unknown, place: ContentPlace): unknown;
  /** Null for content that was stored unchanged. */
  decode(stored: unknown, place: ContentPlace): DecodedContent | null;
  /** Called before a page is read, when its reader has dropped the previous one: a good moment to free memory. */
  startPage?(): void;
}
