import type { SessionHead } from "../../contract/head.ts";
import type { RecoveryPolicy } from "../../core/plan-recovery.ts";
import type { AskRemote } from "./gather-evidence.ts";

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
  /** Where agents' logs are kept; null where they are not. */
  readonly logs: string | null;
  /** The variables that a rollback of this session is given. */
  environmentOf(session_id: string): Readonly<Record<string, string>>;
}

export const PLAIN_RECOVERY: RecoverySurroundings = {
  folderOf: async () => null,
  askRemote: async () => null,
  policy: { alive: "wait" },
  continues: false,
  grace_ms: 3000,
  logs: null,
  environmentOf: () => ({}),
};
