import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { ClaudeLines } from "./claude-lines.ts";

/** A conversation of one tool in which every record that says something says a word of its own. */
export interface Sample {
  readonly file: string;
  readonly records: readonly unknown[];
  /** The word of each record; null for one that says nothing. */
  readonly words: readonly (string | null)[];
}

const TURNS = 6;

export const LINE_SAMPLES: Partial<Record<ImportTool, () => Sample>> = {
  "claude-code": () => {
    const claude = new ClaudeLines("44444444-aaaa-4bbb-8ccc-000000000001");
    const words: string[] = [];
    const word = (): string => {
      words.push(`word${words.length}end`);
      return words.at(-1) ?? "";
    };
    for (let turn = 0; turn < TURNS; turn += 1) {
      claude.user(`please ${word()}`);
      claude.calls(`toolu_${turn}`, "Bash", { command: `echo ${word()}` });
      claude.returns(`toolu_${turn}`, `out ${word()}`);
      claude.says(`done ${word()}`);
    }
    return { file: `p/${claude.session}.jsonl`, records: claude.records, words };
  },
};
