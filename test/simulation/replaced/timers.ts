import { thisProcess } from "../this-process.ts";

/* `node:timers/promises` for simulated processes. */

export function setTimeout(ms = 0): Promise<void> {
  return new Promise((resolve) => void thisProcess.addTimer(ms, resolve));
}

export function setImmediate(): Promise<void> {
  return setTimeout(0);
}
