import { columns } from "./columns.ts";
import type { Directives } from "./directive.ts";
import { SPEAKING } from "./directives/speaking.ts";
import { TOOLS } from "./directives/tools.ts";
import { TROUBLE } from "./directives/trouble.ts";

export const DIRECTIVES: Directives = {
  help: {
    doc: "say what I can do",
    run: (turn) => turn.sendText(`${directiveLines().join("\n")}\n`),
  },
  ...SPEAKING,
  ...TOOLS,
  ...TROUBLE,
};

export function directiveLines(): string[] {
  return columns(
    Object.entries(DIRECTIVES).map(([name, { takes, doc }]) => [
      `/${name}${takes ? ` ${takes}` : ""}`,
      doc,
    ]),
  );
}
