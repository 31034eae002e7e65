import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fillSchema } from "./fill-schema.ts";
import type { Asked, Reply } from "./wire-format.ts";

/** The orders of a prompt: one line that tells the model exactly what to do. */
export const ORDERS = {
  answer: "MODEL: answer",
  answerSlowly: "MODEL: answer slowly",
  fail: "MODEL: fail",
  run: (command: string) => `MODEL: run ${command}`,
} as const;

/** A word to remember. The model repeats each one that it finds in its input. */
export function wordFor(name: string): string {
  return `REMEMBER-${name}`;
}

const ORDER = /^MODEL: (answer slowly|answer|fail|run (?<command>.+))$/gm;
const WORD = /REMEMBER-[a-z]+/g;
const SHELL_TOOLS =
  /^(?:bash|shell|terminal|run_shell_command|shell_command|local_shell|exec_command)$/i;
const SLOW_CHUNKS = 100;
const SLOW_PAUSE_MS = 300;

/** Always the same answer to the same question: the newest order counts, unless a tool has answered since. */
export function planReply(asked: Asked, id: string): Reply {
  if (asked.schema) return text([JSON.stringify(fillSchema(asked.schema, {}))]);
  const order = newestOrder(asked);
  if (order?.command !== undefined && !order.carriedOut) {
    const tool = asked.tools.find(({ name }) => SHELL_TOOLS.test(name));
    if (!tool) return text([`There is no shell among ${asked.tools.length} tools.`]);
    const input = fillSchema(tool.schema, commandFields(order.command, tool.schema));
    return { kind: "call", id, name: tool.name, input };
  }
  if (order?.slowly) {
    const chunks = Array.from({ length: SLOW_CHUNKS }, (_, nth) => `part ${nth}, `);
    return { kind: "text", chunks, pause_ms: SLOW_PAUSE_MS };
  }
  const words = [...new Set(asked.everything.match(WORD))].sort();
  const end = order?.carriedOut ? " The tool has answered." : "";
  return text(["The words ", "so far: ", `${words.join(", ")}.`, end]);
}

/** True if the newest order is to answer with a server error. */
export function isToFail(asked: Asked): boolean {
  return newestOrder(asked)?.fails ?? false;
}

interface Order {
  readonly command: string | undefined;
  readonly slowly: boolean;
  readonly fails: boolean;
  carriedOut: boolean;
}

function newestOrder({ items }: Asked): Order | null {
  let newest: Order | null = null;
  for (const item of items) {
    if (item.kind === "tool_result") {
      if (newest) newest.carriedOut = true;
      continue;
    }
    for (const { groups, 1: what } of item.text.matchAll(ORDER)) {
      const [slowly, fails] = [what === "answer slowly", what === "fail"];
      newest = { command: groups?.command, slowly, fails, carriedOut: false };
    }
  }
  return newest;
}

/** The name of the command's field differs between tools; other required fields are made up. */
function commandFields(command: string, schema: Fields): Fields {
  const lines = { command, cmd: command, script: command };
  const asked = { description: "what the prompt says", justification: "the prompt says so" };
  // Without it one agent runs commands in a sandbox of its own without asking.
  const escalated = { sandbox_permissions: "require_escalated" };
  const known = Object.keys(Object(schema.properties));
  return Object.fromEntries(
    Object.entries({ ...lines, ...asked, ...escalated }).filter(([name]) => known.includes(name)),
  );
}

function text(chunks: readonly string[]): Reply {
  return { kind: "text", chunks: chunks.filter((chunk) => chunk !== ""), pause_ms: 0 };
}
