import { EventEmitter } from "node:events";
import { now } from "./machine.ts";

/** Stands in for the shell that undoes things: it knows `undo NAME`. */
export function spawn(_shell: string, [, command = ""]: readonly string[]) {
  const child = Object.assign(new EventEmitter(), { stdout: silent(), stderr: silent() });
  const [verb, name = ""] = command.split(" ");
  if (verb === "undo") now.machine.effects.push({ name, key: null });
  queueMicrotask(() => child.emit("close", verb === "undo" ? 0 : 127));
  return child;
}

function silent() {
  return Object.assign(new EventEmitter(), {
    setEncoding() {
      return this;
    },
  });
}
