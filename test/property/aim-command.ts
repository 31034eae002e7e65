import type { SessionCommand } from "../../src/contract/commands.ts";
import type { SessionHead } from "../../src/contract/head.ts";

/**
 * Directs a random command at a session: a closing command names an open item (or with `astray` another one), an
 * opening one gets a fresh id, as the service does. Agents name their own actions, so those ids repeat.
 */
export function aimCommand(
  command: SessionCommand,
  head: SessionHead,
  aim: number,
  nth: number,
): SessionCommand {
  const astray = aim % 8 === 7;
  const fresh = (word: string) => `${word}-${nth}`;
  const pick = (items: readonly { id: string }[]) => items[aim % items.length]?.id ?? "nothing";
  const open = (items: readonly { id: string }[]) => (astray ? "astray" : pick(items));

  switch (command.type) {
    case "send_message":
    case "record_turn":
      return { ...command, turn_id: fresh("turn") };
    case "start_turn": {
      const queued = head.queue.length > 0 && aim % 3 > 0;
      return { ...command, turn_id: queued ? pick(head.queue) : fresh("turn") };
    }
    case "append_part":
    case "end_turn":
      return { ...command, turn_id: open(head.turn ? [head.turn] : []) };
    case "begin_action":
      return { ...command, action_id: `action-${aim % 40}` };
    case "describe_action":
    case "complete_action":
      return { ...command, action_id: open(head.actions) };
    case "request_approval":
      return { ...command, approval_id: fresh("approval") };
    case "decide_approval":
    case "expire_approval":
      return { ...command, approval_id: open(head.approvals) };
    case "observe":
      return {
        ...command,
        observation: { ...command.observation, session_id: head.session_id },
      };
    case "fork": {
      const { session_id, entity_id } = head;
      return {
        ...command,
        session_id: fresh("agent"),
        parent: { ...command.parent, session_id, entity_id },
      };
    }
    default:
      return command;
  }
}
