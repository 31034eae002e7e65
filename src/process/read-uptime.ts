import { readBootId } from "./read-proc.ts";

/** Since this machine started, by a clock that nobody can set. It stands still while the machine sleeps. */
export function readUptime(): { boot_id: string | null; uptime_ms: number } {
  return {
    boot_id: readBootId(),
    uptime_ms: Number(process.hrtime.bigint() / 1_000_000n),
  };
}
