import { BelayError } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { findSession } from "../../service/read/find-session.ts";
import type { DriveContext } from "./drive-context.ts";

/**
 * Works on the waiting messages of a session. If its agent cannot be run now, they wait in the log for a process that
 * can.
 */
export async function driveOn(
  context: DriveContext,
  owner: string,
  id: string,
  mayDrive: (head: SessionHead) => boolean = () => true,
): Promise<void> {
  try {
    const found = await findSession(context, owner, id);
    if (mayDrive(found.head)) await context.agents?.drive(found);
  } catch (error) {
    if (!(error instanceof BelayError)) throw error;
  }
}
