import { activityLabel } from "../../contract/activity-label.ts";
import { BelayError, type ErrorCode, refuse } from "../../contract/errors.ts";
import { counted } from "../../contract/import/describe-import.ts";
import type { OperationName } from "../../contract/operations.ts";
import type { Approval, Session } from "../../contract/session.ts";
import { canAsk, confirm } from "./confirm.ts";
import type { Typed } from "./operation-command.ts";
import type { OpenBelay, Program } from "./program.ts";
import { approval } from "./show/show.ts";

/**
 * The same input with the whole id that was meant, after the service has refused a part of it. Null if the person says
 * no. Throws the refusal if the part names nothing, and a clear one if it does not name one thing.
 */
export async function completeId(
  error: unknown,
  command: NamedCommand,
  typed: Typed,
  belay: OpenBelay,
  program: Program,
): Promise<Typed | null> {
  if (isRefusedAs(error, "session_not_found")) {
    return completeSession(error, command, typed, belay, program);
  }
  const { approval_id: given } = typed;
  if (!isRefusedAs(error, "approval_not_found") || typeof given !== "string") throw error;
  const [ended, ...others] = await belay.questionsEnding(given);
  if (others.length > 0) throw ambiguous(given, [ended ?? "", ...others]);
  if (ended !== undefined) return { ...typed, approval_id: ended };
  const session = await findWhole(given, belay, program);
  if (!session) throw error;
  const question = await expectOneQuestion(session, command, belay, program);
  const { approval_id } = question;
  // The typed answer fits the only recovery question of a session.
  if (command.operation === "answer_recovery") return { ...typed, approval_id };
  const { terminal } = program;
  if (!canAsk(terminal)) throw notShown(command.name, question);
  terminal.write(`${approval(question)}\n`);
  return (await confirm(`belay ${command.name} ${approval_id}?`))
    ? { ...typed, approval_id }
    : null;
}

interface NamedCommand {
  readonly name: string;
  readonly operation: OperationName;
}

/** Asks about the one session whose id starts with the id that was refused. */
async function completeSession(
  error: BelayError,
  { name }: NamedCommand,
  typed: Typed,
  { service }: OpenBelay,
  { caller, terminal }: Program,
): Promise<Typed | null> {
  const { id: given, matches } = error.details;
  const [whole] = Array.isArray(matches) ? matches : [];
  const [field] = Object.keys(typed).filter((key) => typed[key] === given);
  if (typeof whole !== "string" || field === undefined || !canAsk(terminal)) throw error;
  const session = await service.call("get", { id: whole }, caller);
  const { session_id, agent_name, turn_count, title } = session;
  const facts = [agent_name, activityLabel(session), counted(turn_count, "turn")].join(", ");
  const about = title === null ? "" : `: ${title}`;
  const isMeant = await confirm(`belay ${name} ${session_id} (${facts})${about}?`);
  return isMeant ? { ...typed, [field]: session_id } : null;
}

function isRefusedAs(error: unknown, code: ErrorCode): error is BelayError {
  return error instanceof BelayError && error.code === code;
}

/** The session with exactly this id; null if there is none. */
async function findWhole(
  id: string,
  { service }: OpenBelay,
  { caller }: Program,
): Promise<Session | null> {
  try {
    const session = await service.call("get", { id }, caller);
    return session.session_id === id || session.entity_id === id ? session : null;
  } catch (error) {
    if (error instanceof BelayError && NOT_FOUND.has(error.code)) return null;
    throw error;
  }
}

const NOT_FOUND: ReadonlySet<ErrorCode> = new Set([
  "invalid_id",
  "ambiguous_id",
  "session_not_found",
]);

async function expectOneQuestion(
  session: Session,
  { operation }: NamedCommand,
  { service }: OpenBelay,
  { caller }: Program,
): Promise<Approval> {
  const { session_id } = session;
  const open: Approval[] = [];
  let cursor: string | null | undefined;
  while (open.length < session.pending_approvals && cursor !== null) {
    const input = cursor === undefined ? {} : { cursor };
    const page = await service.call("list_approvals", input, caller);
    open.push(...page.approvals.filter((one) => one.session_id === session_id));
    cursor = page.next_cursor;
  }
  const [only, ...more] = open.filter(
    ({ kind }) => operation !== "answer_recovery" || kind === "recovery",
  );
  if (!only) throw noQuestion(session);
  const ids = [only, ...more].map((one) => one.approval_id);
  if (more.length > 0) throw ambiguous(session_id, ids);
  return only;
}

function ambiguous(id: string, matches: readonly string[]): BelayError {
  const message = `Ambiguous approval id ${id}. Use a whole id; candidates: ${matches.join(", ")}`;
  return new BelayError(refuse("ambiguous_id", message, { id, matches }));
}

function noQuestion({ session_id }: Session): BelayError {
  const message = `${session_id} has no open question that this command answers.`;
  return new BelayError(refuse("approval_not_found", message, { session_id }));
}

function notShown(name: string, { session_id, approval_id, title }: Approval): BelayError {
  const message = `${session_id} is a session. Its question is: ${title} To answer it, type: belay ${name} ${approval_id}`;
  return new BelayError(refuse("invalid_id", message, { session_id, approval_id }));
}
