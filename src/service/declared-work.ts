import { resolve } from "node:path";
import type { Intent } from "../contract/action/intent.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import type { Parsed } from "../contract/operations.ts";
import { identifyProcess } from "../process/process-identity.ts";
import { expectScope } from "./expect-scope.ts";
import { isBelow } from "./is-below.ts";
import { findSession } from "./read/find-session.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/**
 * Reads the process, files and rollback that an action names. Recovery examines, ends, reads and runs them, so they are
 * only accepted from a caller who may run programs here: the owner of the data folder, or a token with scope admin.
 */
export async function readDeclaredWork(
  context: ServiceContext,
  input: Parsed<"begin_action">,
  caller: Caller,
): Promise<Pick<Intent, "process" | "rollback" | "vouched" | "temporary">> {
  const { pid, cmd = null, stdout_path, stderr_path, rollback } = input;
  const paths = { stdout_path, stderr_path };
  const named = Object.values({ pid, ...paths }).some((given) => given !== undefined);
  if (!named && rollback.length === 0 && input.temporary.length === 0)
    return { process: null, rollback };
  expectScope(caller.scope, "admin", HINT);
  const { stdout = null, stderr = null, temporary } = await checkPaths(context, caller, input);
  const process =
    pid === undefined
      ? null
      : // Recorded now, so that a later process with this pid counts as another one.
        { ...identifyProcess(pid), cmd, stdout_path: stdout, stderr_path: stderr };
  return { process, rollback, vouched: true, ...(temporary && { temporary }) };
}

const HINT =
  "pid, rollback, temporary and output paths reach programs and files on the server's computer. Leave them out, or use: belay begin-action";

async function checkPaths(
  context: ServiceContext,
  caller: Caller,
  { id, stdout_path, stderr_path, temporary }: Parsed<"begin_action">,
): Promise<{ readonly stdout?: string; readonly stderr?: string; readonly temporary?: string[] }> {
  if (stdout_path === undefined && stderr_path === undefined && temporary.length === 0) return {};
  const { head } = await findSession(context, caller.owner, id);
  const folders = foldersOf(context, head);
  const own = folders.filter((folder) => folder === head.project?.cwd);
  const check = (field: string, path: string): string => {
    const allowed = field === "temporary" ? own : folders;
    const whole = resolve(head.project?.cwd ?? "/", path);
    if (allowed.some((folder) => isBelow(folder, whole))) return whole;
    const logs = field === "temporary" ? "" : " or in Belay's logs";
    const message = `${field}: must be in the session's project folder${logs}, not ${path}`;
    throw new BelayError(refuse("invalid_input", message, { field, folders: allowed }));
  };
  return {
    ...(stdout_path !== undefined && { stdout: check("stdout_path", stdout_path) }),
    ...(stderr_path !== undefined && { stderr: check("stderr_path", stderr_path) }),
    ...(temporary.length > 0 && { temporary: temporary.map((path) => check("temporary", path)) }),
  };
}

/** The folders that may contain files of a session's processes. */
export function foldersOf({ logs }: ServiceContext, { project }: SessionHead): string[] {
  return [project?.cwd, logs].filter((folder) => typeof folder === "string");
}
