import type { SessionHead } from "../../contract/head.ts";
import type { RecoveryPolicy } from "../../core/recovery/plan-recovery.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import type { AskRemote } from "./gather-evidence.ts";

/** What the service is made of, and how this machine recovers sessions; without that, nothing is written beside the log. */
export interface DriveContext extends ServiceContext {
  readonly recovery?: RecoverySurroundings;
}

/** What recovery needs of the machine that it runs on, beside what the service is made of. */
export interface RecoverySurroundings {
  /** Where questions about a session are written down for people; null where they are not. */
  folderOf(head: SessionHead): Promise<string | null>;
  readonly askRemote: AskRemote;
  readonly policy: RecoveryPolicy;
  /** Whether an interrupted turn goes on by itself where nothing has to be decided. */
  readonly continues: boolean;
  /** For processes that were left behind, from SIGTERM to SIGKILL. */
  readonly grace_ms: number;
  /** Writes what happened since the recovery before into a workspace that keeps such files. */
  writeTimeline(id: string, head: SessionHead): Promise<void>;
  /** The variables that a rollback of this session is given. */
  environmentOf(session_id: string): Readonly<Record<string, string>>;
}

export const PLAIN_RECOVERY: RecoverySurroundings = {
  folderOf: async () => null,
  askRemote: async () => null,
  policy: { alive: "wait" },
  continues: false,
  grace_ms: 3000,
  writeTimeline: async () => {},
  environmentOf: () => ({}),
};
