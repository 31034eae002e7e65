import { BelayError, refuse } from "../../../contract/errors.ts";
import { readServerAddress } from "../../../server/server-files.ts";
import type { HookDeps } from "./hook-deps.ts";

/** The address of a server: what someone says, or where the one of this data folder runs. Refuses where there is none. */
export function findServer(home: string, env: HookDeps["env"], given: string | null): string {
  const said = given ?? (env.BELAY_URL || null);
  if (said !== null) return readAddress(said);
  const running = readServerAddress(home);
  if (running && isRunning(running.pid)) return readAddress(running.url);
  const message = `no server of ${home} is running: start one with "belay serve", or say where it is with --url or BELAY_URL`;
  throw new BelayError(refuse("invalid_input", message, { home }));
}

/** Without anything that does not belong into settings that others may read. */
function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isWeb || url.username || url.password || url.search || url.hash) {
    const message = "the address of a server looks like http://127.0.0.1:4747, without a token";
    throw new BelayError(refuse("invalid_input", message, { field: "url" }));
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
