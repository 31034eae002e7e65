import type { Fields } from "../../../src/agent/acp/read-fields.ts";

/** A request to a model, in any format. */
export interface Asked {
  /** In order: the user's messages, and the answers of tools. */
  readonly items: readonly Item[];
  /** The whole conversation as it was sent. */
  readonly everything: string;
  readonly tools: readonly Tool[];
  /** The JSON schema of the answer; null if any text will do. */
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

/** One server-sent event; a text is sent unchanged. */
export interface Piece {
  readonly event?: string;
  readonly data: Fields | string;
}

/** One vendor's HTTP format for requests and answers. */
export interface WireFormat {
  /** The path of requests for an answer. */
  readonly path: RegExp;
  read(body: Fields): Asked;
  wantsStream(body: Fields, path: string): boolean;
  whole(reply: Reply, body: Fields): Fields;
  pieces(reply: Reply, body: Fields): Iterable<Piece>;
}

export function wholeText(reply: Reply): string {
  return reply.kind === "text" ? reply.chunks.join("") : "";
}
