import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { IMPORTERS } from "../../../src/integrations/importers.ts";

/** Our reader's result for a file, up to where its tool would continue: texts, calls and results in order. */
export async function readByReader(tool: ImportTool, file: string): Promise<string[]> {
  const told: string[] = [];
  const near = async () => [file];
  for await (const conversation of IMPORTERS[tool].read(file, () => {}, near)) {
    const [newest] = await conversation.branches(new Map());
    for (const turn of newest?.turns.keys() ?? []) {
      for await (const item of newest?.items(turn) ?? []) {
        if (item.kind === "prompt" || item.kind === "said") told.push(item.text ?? "");
        if (item.kind === "called") told.push(`tool_use ${item.id}`);
        if (item.kind === "returned") told.push(`tool_result ${item.id}`);
      }
    }
  }
  return told;
}
