import type { Fields } from "../../../src/agent/acp/read-fields.ts";

/** What a model is asked, in whichever format it came. */
export interface Asked {
  /** In order: what the user's side said, and where a tool has answered. */
  readonly items: readonly Item[];
  /** The whole conversation as it was sent. */
  readonly everything: string;
  readonly tools: readonly Tool[];
  /** The answer has to be JSON that fits it; null where any text will do. */
  readonly schema: Fields | null;
}
export type Item =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "tool_result" };
export interface Tool {
  readonly name: string;
  readonly schema: Fields;
}

export type Reply =
  | { readonly kind: "text"; readonly chunks: readonly string[]; readonly pause_ms: number }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: Fields;
    };

/** One server-sent event; a text is sent as it is. */
export interface Piece {
  readonly event?: string;
  readonly data: Fields | string;
}

/** One vendor's way to ask a model over HTTP and to be answered. */
export interface WireFormat {
  /** Of the requests that ask the model for an answer. */
  readonly path: RegExp;
  read(body: Fields): Asked;
  wantsStream(body: Fields, path: string): boolean;
  whole(reply: Reply, body: Fields): Fields;
  pieces(reply: Reply, body: Fields): Iterable<Piece>;
}

export function wholeText(reply: Reply): string {
  return reply.kind === "text" ? reply.chunks.join("") : "";
}
