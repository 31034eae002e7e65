/** Where a content stands: what wrote it, and at which event. */
export interface ContentPlace {
  /** The stream that wrote it: of an inherited content, an ancestor. */
  readonly writer: string;
  readonly seq: number;
  readonly part: "body" | "head" | "patch";
}

/** A content as it was handed in, and its bytes as JSON. */
export interface DecodedContent {
  readonly value: unknown;
  readonly bytes: number;
}

/** Writes contents in another form than they are handed in. */
export interface ContentCodec {
  /** The same value where there is nothing to change. */
  encode(value: unknown, place: ContentPlace): unknown;
  /** Null for a content that is stored as it was handed in. */
  decode(stored: unknown, place: ContentPlace): DecodedContent | null;
}
