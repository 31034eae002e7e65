import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import type { Piece } from "./damage-document.ts";

/** A document of one tool; each part contains a unique word. */
interface DocumentSample {
  readonly file: string;
  /** `between` separates two items of a list: a comma, with or without a line break. */
  pieces(between: string): Piece[];
}

const PARTS = 8;

export const wordOf = (part: number): string => `word${part}end`;
const at = (part: number): number => 1_767_600_000 + part;
const isoAt = (part: number): string => new Date(at(part) * 1000).toISOString();
const isPrompt = (part: number): boolean => part % 2 === 0;

export const DOCUMENT_SAMPLES: Partial<Record<ImportTool, DocumentSample>> = {
  chatgpt: {
    file: "conversations.json",
    pieces: (between) =>
      list(between, [0, 1], (nth) => {
        const node = (part: number) =>
          `"n${part}":${JSON.stringify({
            ...{ id: `n${part}`, parent: part === nth * PARTS ? "root" : `n${part - 1}` },
            children: [],
            message: {
              ...{ id: `n${part}`, create_time: at(part), recipient: "all" },
              author: { role: isPrompt(part) ? "user" : "assistant" },
              content: { content_type: "text", parts: [`says "${wordOf(part)}" {`] },
            },
          })}`;
        return [
          fixed(`{"title":"Chat ${nth}","create_time":${at(0)},"mapping":{"root":{"id":"root"},`),
          ...list(between, partsOf(nth), (part) => [{ text: node(part), part }]),
          fixed(`},"current_node":"n${nth * PARTS + PARTS - 1}","conversation_id":"chat-${nth}"}`),
        ];
      }).flatMap(inBrackets),
  },
  "claude-ai": {
    file: "conversations.json",
    pieces: (between) =>
      list(between, [0, 1], (nth) => [
        fixed(`{"uuid":"talk-${nth}-0000","name":"Talk ${nth}","chat_messages":[`),
        ...list(between, partsOf(nth), (part) => [
          {
            part,
            text: JSON.stringify({
              ...{ uuid: `m${part}`, sender: isPrompt(part) ? "human" : "assistant" },
              ...{ text: "", created_at: isoAt(part) },
              content: [{ type: "text", text: `says "${wordOf(part)}" {` }],
            }),
          },
        ]),
        fixed("]}"),
      ]).flatMap(inBrackets),
  },
  opencode: {
    file: "export.json",
    pieces: (between) => [
      fixed(`{"info":{"id":"ses_0009","title":"Fix","time":{"created":${at(0)}000}},"messages":[`),
      ...list(between, partsOf(0), (part) => [
        {
          part,
          text: JSON.stringify({
            info: {
              ...{ id: `msg_${part}`, role: isPrompt(part) ? "user" : "assistant" },
              time: { created: at(part) * 1000, completed: at(part) * 1000 },
            },
            parts: [{ id: `p${part}`, type: "text", text: `says "${wordOf(part)}" {` }],
          }),
        },
      ]),
      fixed("]}"),
    ],
  },
  atif: {
    file: "trajectory.json",
    pieces: (between) => [
      fixed(`{"schema_version":"ATIF-v1.7","session_id":"trial-0009","agent":{"name":"harbor"},`),
      fixed(`"steps":[`),
      ...list(between, partsOf(0), (part) => [
        {
          part,
          text: JSON.stringify({
            ...{ step_id: part + 1, source: isPrompt(part) ? "user" : "agent" },
            ...{ timestamp: isoAt(part), message: `says "${wordOf(part)}" {` },
          }),
        },
      ]),
      fixed("]}"),
    ],
  },
};

function partsOf(nth: number): number[] {
  return Array.from({ length: PARTS }, (_, part) => nth * PARTS + part);
}

function fixed(text: string): Piece {
  return { text, part: null };
}

function list<T>(between: string, items: readonly T[], write: (item: T) => Piece[]): Piece[] {
  return items.flatMap((item, nth) => [...(nth > 0 ? [fixed(between)] : []), ...write(item)]);
}

function inBrackets(piece: Piece, nth: number, all: readonly Piece[]): Piece[] {
  return [
    ...(nth === 0 ? [fixed("[")] : []),
    piece,
    ...(nth === all.length - 1 ? [fixed("]")] : []),
  ];
}
