import { visibleLine } from "../../contract/visible-text.ts";
import type { Terminal } from "./program.ts";

/** True if a person can be asked: output and input are a terminal. */
export function canAsk({ interactive }: Terminal): boolean {
  return interactive && process.stdin.isTTY === true;
}

/** Asks a person. Anything but yes means no, and so does leaving with Ctrl-C or Ctrl-D. */
export function confirm(question: string): Promise<boolean> {
  const { createInterface } = process.getBuiltinModule("node:readline");
  const input = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    input.once("close", () => resolve(false));
    input.question(`${visibleLine(question)} [y/N] `, (answer) => {
      resolve(/^\s*y(es)?\s*$/i.test(answer));
      input.close();
    });
  });
}
