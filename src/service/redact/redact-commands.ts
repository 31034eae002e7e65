import type { SessionCommand, SessionCommandType, TaskCommand } from "../../contract/commands.ts";
import type { StoredRedaction } from "../../redaction/stored-redaction.ts";

/**
 * The fields of commands that contain text of people, agents and programs. Merged work comes from sessions in the
 * store.
 */
const TEXTS: Readonly<
  Partial<Record<SessionCommandType | TaskCommand["type"], readonly string[]>>
> = {
  create: ["purpose", "title", "metadata"],
  fork: ["title"],
  annotate: ["metadata"],
  record_error: ["error"],
  set_phase: ["summary"],
  suspend: ["reason"],
  finalize: ["summary", "error"],
  rename: ["title"],
  delete: ["reason"],
  send_message: ["content"],
  note_agent_started: ["process"],
  record_turn: ["input", "output"],
  save_checkpoint: ["name", "state", "entities", "files_skipped"],
  request_approval: ["title", "body", "rollback"],
  decide_approval: ["note"],
  expire_approval: ["reason"],
  observe: ["observation"],
  record_outcome: ["outcome", "id", "details"],
  record_artifact: ["name", "uri", "details"],
  start_turn: ["content"],
  append_part: ["text"],
  end_turn: ["error"],
  begin_action: ["rollback", "process", "details"],
  describe_action: ["details"],
  complete_action: ["result", "details"],
  create_task: ["title"],
  update_task: ["title"],
};

/**
 * Commands without the secrets in their texts. `parts` is "whole" if each part of an answer is a text of its own; if
 * answers are cut into parts, their author has redacted them before, because a part may end within a secret.
 */
export function redactCommands<T extends SessionCommand | TaskCommand>(
  redaction: StoredRedaction | undefined,
  commands: readonly T[],
  parts: "whole" | "cut" = "whole",
): readonly T[] {
  if (!redaction) return commands;
  return commands.map((command) =>
    command.type === "append_part" && parts === "cut" ? command : redactCommand(redaction, command),
  );
}

function redactCommand<T extends SessionCommand | TaskCommand>(
  redaction: StoredRedaction,
  command: T,
): T {
  const names = TEXTS[command.type] ?? [];
  const texts = Object.fromEntries(
    Object.entries(command).filter(([name]) => names.includes(name)),
  );
  if (command.type !== "request_approval") return { ...command, ...redaction.value(texts) };
  // Only the names of options are texts: the agent must get the id of the chosen one back as it was.
  const { choices = [] } = command;
  const shown = choices.map(({ name }) => name);
  const redacted = redaction.value({ texts, shown });
  const named = choices.map((choice, nth) => ({ ...choice, name: redacted.shown[nth] ?? "" }));
  return { ...command, ...redacted.texts, ...(command.choices && { choices: named }) };
}
