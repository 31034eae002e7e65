import type { Session } from "../../../src/contract/session.ts";
import { ask } from "./ask.ts";

/** What the page does beyond single operations. */

export interface Sent {
  readonly session_id: string;
  readonly turn_id: string;
}

/** Answers as soon as the message is kept: what becomes of it comes with the session's events. */
export function sendMessage(id: string, message: string): Promise<Sent> {
  const path = `/sessions/${encodeURIComponent(id)}/messages`;
  return ask("POST", path, { body: { message, wait: false } });
}

export interface NewSession {
  readonly agent_name: string;
  readonly title?: string;
  readonly initial_message?: string;
}

export function beginSession(session: NewSession): Promise<Session> {
  return ask("POST", "/sessions", { body: session });
}

export function logIn(code: string): Promise<{ owner: string; scope: string }> {
  return ask("POST", "/login", { body: { code } });
}

export function logOut(): Promise<void> {
  return ask("POST", "/logout");
}
