import type { GatedProcess } from "../../../src/drive/recovery/start-gated.ts";
import { now } from "./machine.ts";

/** Replaces the shell for rollbacks: it knows `undo NAME`, and runs it once it is allowed to. */
export function startGated(command: string): Pick<GatedProcess, "log" | "open" | "ended"> & {
  readonly child: { readonly pid: undefined; readonly stdin: { end(): void } };
} {
  const [verb, name = ""] = command.split(" ");
  return {
    child: { pid: undefined, stdin: { end: () => {} } },
    log: "",
    open() {
      if (verb === "undo") now.machine.effects.push({ name, key: null });
    },
    ended: async () => ({ code: verb === "undo" ? 0 : 127, output: "" }),
  };
}
