import { listUntilFull } from "../../../service/read/list-until-full.ts";
import { hintNext } from "../hint-next.ts";
import type { Commands } from "../operation-command.ts";
import type { Program } from "../program.ts";
import * as show from "../show/show.ts";
import { purge } from "../show/show-removed.ts";

async function printLog(args: readonly string[], program: Program): Promise<number> {
  return (await import("../show/print-log.ts")).printLog(args, program);
}

/** Commands about one session, and the list of sessions. */
export const sessionCommands = {
  create: {
    operation: "create",
    positional: [],
    flags: { agent_name: "agent", session_id: "id", task_id: "task", expires_at: "expires" },
    backlog: "reads",
    example: "belay create --agent terraform-architect --purpose approval_workflow",
    show: show.session,
  },
  get: {
    operation: "get",
    positional: ["id"],
    example: "belay get agent-20260108-180530-abc12345",
    show: show.session,
    async afterwards({ session_id }, belay, { terminal }) {
      if (terminal.json) return 0;
      const { recentWork } = await import("../show/show-work.ts");
      terminal.write(recentWork(await belay.recentWork(session_id), terminal));
      return 0;
    },
  },
  update: {
    operation: "update",
    positional: ["id"],
    example: 'belay update agent-20260108 --phase approval --metadata \'{"ticket":"T001"}\'',
    show: show.session,
    async afterwards({ warnings = [] }, _belay, { terminal }) {
      for (const warning of warnings) terminal.note(`Warning: ${warning}`);
      return 0;
    },
  },
  list: {
    operation: "list",
    positional: [],
    flags: { task_id: "task" },
    // A person who sets a limit wants that many results, so the search continues until it is full.
    perform: listUntilFull,
    example: "belay list --active-only --search 'state bucket'",
    show: show.sessions,
  },
  "should-resume": {
    operation: "should_resume",
    positional: ["id"],
    example: "belay should-resume agent-20260108",
    show: show.advice,
    exitCode: (advice) =>
      advice.should_resume ? 0 : advice.reason === "session_not_found" ? 3 : 1,
  },
  finalize: {
    operation: "finalize",
    positional: ["id", "outcome"],
    example: "belay finalize agent-20260108 completed --summary 'Terraform applied'",
    show: show.session,
  },
  suspend: {
    operation: "suspend",
    positional: ["id"],
    example: "belay suspend agent-20260108",
    show: show.session,
    afterwards: ({ session_id }, belay, program) => hintNext(session_id, belay, program),
  },
  resume: {
    operation: "resume",
    positional: ["id"],
    converse: async ([id = ""], program, hasInput) =>
      (await import("./agent-commands.ts")).resumeConversation(id, program, hasInput),
    more: [
      "At a terminal the conversation continues. This works for completed sessions too.",
      "Piped input is sent as one message. To resume without a message: belay resume ID < /dev/null",
      "In an active session without a message, the agent answers the messages that wait.",
    ],
    example: "belay resume agent-20260108",
    show: show.session,
  },
  "resume-plan": {
    operation: "resume_plan",
    positional: ["id"],
    example: "belay resume-plan agent-20260108",
    show: show.resumePlan,
  },
  interrupt: {
    operation: "interrupt",
    positional: ["id"],
    example: "belay interrupt agent-20260108",
    show: show.session,
  },
  cancel: {
    operation: "cancel",
    positional: ["id"],
    example: "belay cancel agent-20260108 --summary 'no longer needed'",
    show: show.session,
  },
  archive: {
    operation: "archive",
    positional: ["id"],
    example: "belay archive agent-20260108",
    show: show.session,
  },
  rename: {
    operation: "rename",
    positional: ["id", "title"],
    example: "belay rename agent-20260108 'Move the state bucket'",
    show: show.session,
  },
  pin: {
    operation: "pin",
    positional: ["id"],
    example: "belay pin agent-20260108",
    show: show.session,
  },
  expire: {
    operation: "set_expiry",
    positional: ["id"],
    flags: { expires_at: "at" },
    example: "belay expire agent-20260108 --at 2026-12-31",
    show: show.session,
  },
  unpin: {
    operation: "unpin",
    positional: ["id"],
    example: "belay unpin agent-20260108",
    show: show.session,
  },
  delete: {
    operation: "delete",
    positional: ["id"],
    example: "belay delete agent-20260108",
    show: show.session,
  },
  undelete: {
    operation: "undelete",
    positional: ["id"],
    example: "belay undelete agent-20260108",
    show: show.session,
  },
  purge: {
    operation: "purge",
    positional: ["id"],
    more: [
      "Only a session in the trash can be purged, and only by its whole id. This cannot be undone.",
    ],
    example: "belay purge agent-20260108",
    show: purge,
  },
  fork: {
    operation: "fork",
    positional: ["id"],
    flags: { session_id: "id" },
    example: "belay fork agent-20260108 --at 12",
    show: show.session,
  },
  log: {
    operation: "log",
    positional: ["id"],
    variants: {
      "--follow": { doc: "also show new events as they happen", run: printLog },
      "--ndjson": { doc: "all events, one JSON object per line", run: printLog },
      "--all": { doc: "all events, oldest first", run: printLog },
      "--first": {
        doc: "start with the oldest events; by default a terminal shows the newest",
        run: async (args, program): Promise<number> => {
          const { runOperation } = await import("../run-operation.ts");
          const others = args.filter((arg) => arg !== "--first");
          return runOperation("log", sessionCommands.log, ["--after", "0", ...others], program);
        },
      },
      "--last": {
        takes: "N",
        doc: "only the last N events",
        run: async (args, program) =>
          (await import("../show/last-events.ts")).lastEvents(args, program),
      },
    },
    // People want the latest events; scripts read from the start by default.
    forPerson: (typed) =>
      typed.after === undefined && typed.before === undefined
        ? { ...typed, before: Number.MAX_SAFE_INTEGER }
        : typed,
    example: "belay log agent-20260108 --first --limit 20",
    show: show.log,
  },
  turns: {
    operation: "turns",
    positional: ["id"],
    example: "belay turns agent-20260108 --limit 5",
    show: show.turns,
  },
} as const satisfies Commands;
