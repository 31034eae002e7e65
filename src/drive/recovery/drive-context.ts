import type { SessionHead } from "../../contract/head.ts";
import type { RecoveryPolicy } from "../../core/recovery/plan-recovery.ts";
import type { Sandbox } from "../../process/isolate.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import type { AskRemote } from "./gather-evidence.ts";

/**
 * The dependencies of the service, and the recovery settings of this machine; without them, nothing is written outside
 * the log.
 */
export interface DriveContext extends ServiceContext {
  readonly recovery?: RecoverySurroundings;
}

/** The parts of recovery that depend on the machine it runs on. */
export interface RecoverySurroundings {
  /** The folder where questions about a session are written for people; null if they are not. */
  folderOf(head: SessionHead): Promise<string | null>;
  readonly askRemote: AskRemote;
  readonly policy: RecoveryPolicy;
  /** True if an interrupted turn continues automatically when there is nothing to decide. */
  readonly continues: boolean;
  /** True if the log may name processes of other machines, which cannot be checked from here. */
  readonly shared: boolean;
  /** The time between SIGTERM and SIGKILL for processes that were left behind. */
  readonly grace_ms: number;
  /** Writes the events since the last recovery into a workspace that has such files. */
  writeTimeline(id: string, head: SessionHead): Promise<void>;
  /** The environment variables for a rollback of this session. */
  environmentOf(session_id: string): Readonly<Record<string, string>>;
  /** True if a member could replace this folder by a link, so that no file in it is read or removed. */
  isOfMember(folder: string): Promise<boolean>;
  /** The folder and environment of a rollback, and the sandbox if the folder belongs to a member. */
  confine(cwd: string, env: Readonly<Record<string, string>>): Promise<Confinement>;
}

export interface Confinement {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox?: Sandbox;
}

export const PLAIN_RECOVERY: RecoverySurroundings = {
  folderOf: async () => null,
  askRemote: async () => null,
  policy: { alive: "wait" },
  continues: false,
  shared: false,
  grace_ms: 3000,
  writeTimeline: async () => {},
  environmentOf: () => ({}),
  isOfMember: async () => false,
  confine: async (cwd, env) => ({ cwd, env }),
};
