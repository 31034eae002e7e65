import type { Commands } from "../operation-command.ts";
import * as show from "../show/show.ts";

/** The backlog. */
export const taskCommands = {
  "tasks add": {
    operation: "add_task",
    positional: ["title"],
    flags: { task_id: "id" },
    backlog: "writes",
    example: "belay tasks add 'Rotate the tokens' --priority high --est-hours 2",
    show: show.task,
  },
  "tasks update": {
    operation: "update_task",
    positional: ["task_id"],
    backlog: "writes",
    example: "belay tasks update T001 --status completed",
    show: show.task,
  },
  "tasks list": {
    operation: "list_tasks",
    positional: [],
    backlog: "reads",
    variants: {
      "--format": {
        takes: "md",
        doc: "write the tasks to MASTER_BACKLOG.md of the workspace",
        run: async (args, program) =>
          (await import("./workspace-commands.ts")).writeMasterBacklog(args, program),
      },
    },
    example: "belay tasks list --status pending",
    show: show.tasks,
  },
} as const satisfies Commands;
