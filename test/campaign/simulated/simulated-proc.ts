import { now } from "./machine.ts";

/** Replaces /proc: a process is its number on the simulated machine, and nothing else runs there. */
export const readStat = (pid: number) => ({
  pid,
  parent: 1,
  is_zombie: false,
  start_time: now.process,
});
export const listStats = () => [];
export const wasStartedWith = () => false;
export const readVariable = () => null;
export const isInOurNode = () => true;
export const readBootId = () => "simulated";
export const readNode = () => null;
export const readMachine = () => "simulated";
export const readMachineUptime = () => ({ boot_id: "simulated", up_ms: Number.MAX_SAFE_INTEGER });
export const readOwner = () => process.getuid?.() ?? 0;
