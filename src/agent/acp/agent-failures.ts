import { RequestError } from "@agentclientprotocol/sdk";
import { isRecord } from "../../contract/is-record.ts";
import { DEADLINE_SIGNAL } from "../../process/supervise.ts";
import type { AgentExit, AgentLaunch } from "../agent-connection.ts";
import { AgentFailure } from "../agent-connection.ts";
import { OversizedAnswer } from "./agent-stream.ts";
import { boundText } from "./bound-text.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";

const AUTH_REQUIRED = -32000;
const LONGEST_DETAIL = 1000;

/** Converts a failed request to a failure of the port. */
export function toFailure(error: unknown, name: string, method: string, login: string): unknown {
  if (!(error instanceof RequestError)) return error;
  if (error.data instanceof OversizedAnswer) {
    const size = `${Math.round(error.data.size / 1024 / 1024)} MB`;
    const message = `${name} answered ${method} with ${size}, which is too large`;
    return new AgentFailure("protocol", message, error);
  }
  if (error.code === AUTH_REQUIRED || fieldsOf(error.data).auth_required === true) {
    return new AgentFailure("login_required", `${name} requires a login: ${login}`, error);
  }
  const said = `${name} answered ${method} with an error: ${describeError(error)}`;
  return new AgentFailure("refused", said, error);
}

export function exitFailure(
  { name, deadline }: Pick<AgentLaunch, "name" | "deadline">,
  { code, signal, said }: AgentExit,
): AgentFailure {
  if (deadline && signal === DEADLINE_SIGNAL) {
    return new AgentFailure("expired", `${name} was ended because its lease could not be renewed`);
  }
  const how = signal === null ? `exit code ${code}` : signal;
  const last = said === "" ? "" : `; its last output:\n${said}`;
  return new AgentFailure("exited", `${name} ended (${how})${last}`);
}

/** Instructions to log in, from the agent's login methods. */
export function loginHint(name: string, command: string, methods: unknown): string {
  const hints = listOf(methods).flatMap((method) => hintOf(command, method) ?? []);
  const best = hints.find((hint) => hint.startsWith("run `")) ?? hints[0];
  return best ?? `start ${name} by itself once and log in there`;
}

function hintOf(command: string, method: unknown): string | null {
  const { type, name, description, args, _meta } = fieldsOf(method);
  const inTerminal = fieldsOf(_meta)["terminal-auth"];
  if (isRecord(inTerminal) && typeof inTerminal.command === "string") {
    return `run ${commandLine(inTerminal.command, inTerminal.args)}`;
  }
  if (type === "terminal") return `run ${commandLine(command, args)}`;
  const said = textOf(description) ?? textOf(name);
  return said === null || said === "" ? null : boundText(said, LONGEST_DETAIL);
}

function commandLine(command: string, args: unknown): string {
  const words = listOf(args).filter((arg) => typeof arg === "string");
  return `\`${boundText([command, ...words].join(" "), LONGEST_DETAIL)}\``;
}

/** Many agents answer "Internal error" and put the reason into `data`. */
function describeError({ code, message, data }: RequestError): string {
  const detail = isRecord(data)
    ? (textOf(data.details) ?? textOf(data.message) ?? textOf(data.error) ?? JSON.stringify(data))
    : (textOf(data) ?? (data === undefined || data === null ? "" : JSON.stringify(data)));
  const told = detail === "" || detail === "{}" || message.includes(detail) ? "" : `: ${detail}`;
  return `${boundText(message + told, LONGEST_DETAIL)} (${code})`;
}
