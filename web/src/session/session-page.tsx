import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from "react";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { Session } from "../../../src/contract/session.ts";
import { ApiError, Unreachable } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { useLive } from "../live/live.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Failed, Loading } from "../ui/states.tsx";
import {
  ConversationContext,
  type ConversationContextValue,
} from "./conversation/conversation-context.ts";
import { ConversationView } from "./conversation/conversation-view.tsx";
import { Announce } from "./conversation/entry-view.tsx";
import { SessionFoot } from "./foot/session-foot.tsx";
import type { Question } from "./log/entry.ts";
import type { LogState } from "./log/session-log.ts";
import { SessionLog } from "./log/session-log.ts";
import { NoSession } from "./no-session.tsx";
import { SessionHeader } from "./session-header.tsx";
import { mayAnswer, mayUse, useRole } from "./use-role.ts";
import { useCommand, useSession } from "./use-session.ts";

/** Shows a session's conversation, with controls to answer and steer it. */
export function SessionPage() {
  const { id } = useParams({ from: "/frame/s/$id" });
  const { data: session, error, refetch } = useSession(id);
  usePageTitle(session ? (session.title ?? session.session_id) : "Session");
  useWholeId(id, session);
  if (!session) {
    if (error) return <NoSession id={id} error={error} retry={() => void refetch()} />;
    return <Loading what="the session" />;
  }
  return <OpenSession key={session.session_id} session={session} />;
}

/** A part of an id leads here too; the address is replaced by the whole id. */
function useWholeId(id: string, session: Session | undefined): void {
  const navigate = useNavigate();
  const whole = session?.session_id ?? id;
  useEffect(() => {
    if (whole === id) return;
    void navigate({ to: "/s/$id", params: { id: whole }, search: (now) => now, replace: true });
  }, [whole, id, navigate]);
}

function OpenSession({ session }: { readonly session: Session }) {
  const { session_id: id } = session;
  const { at = null } = useSearch({ from: "/frame/s/$id" });
  const navigate = useNavigate();
  const { log, state } = useLog(id, at);
  const command = useCommand(id);
  const role = useRole(id);
  const canFork = mayUse(role, "fork");
  const { conversation, newer, version } = state;
  const isLive = state.phase === "ready" && newer === "none";
  const { runningTurn } = conversation;
  const openQuestions = useSame(conversation.openQuestions);
  const isRunning = isLive && runningTurn !== null;
  const opened = useMemo(() => new Map<string, boolean>(), []);
  const [sent, setSent] = useState(0);

  const fork = (seq?: number): void =>
    command.mutate(async () => {
      const child = await call("fork", { id, ...(seq !== undefined && { at: seq }) });
      await navigate({ to: "/s/$id", params: { id: child.session_id } });
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `fork` is the same for the same session
  const context = useMemo<ConversationContextValue>(
    () => ({
      sessionId: id,
      owner: ownerIn(id),
      isLive,
      openQuestions,
      opened,
      callOf: (action_id) => conversation.callOf(action_id),
      fork: canFork ? fork : null,
    }),
    [id, isLive, openQuestions, opened, conversation, canFork],
  );
  useGoTo(at, state, () => void log.load(at));

  const backToNewest = (): void => {
    void navigate({ to: "/s/$id", params: { id }, search: {} });
    void log.load(null);
  };
  // The session was deleted, or is no longer shared: nothing of it stays on the page.
  if (state.phase === "failed" && isGone(state.error)) {
    return <NoSession id={id} error={state.error} retry={() => void log.load()} />;
  }
  return (
    <ConversationContext value={context}>
      <div className="flex h-full flex-col">
        <SessionHeader id={id} isRunning={isRunning} />
        {state.phase === "failed" && <Failed error={state.error} retry={() => void log.load()} />}
        {state.phase === "loading" && <Loading what="the conversation" lines={10} />}
        {state.phase === "ready" && (
          <ConversationView
            log={log}
            state={state}
            at={at}
            sent={sent}
            onBackToNewest={backToNewest}
          />
        )}
        <Announce
          text={describeNews(
            openQuestions.map(({ title }) => title),
            isRunning,
            openQuestions.some(({ asks }) => mayAnswer(role, asks)),
          )}
        />
        <SessionFoot
          session={session}
          conversation={isLive ? conversation : null}
          version={version}
          command={command}
          onFork={() => fork()}
          onSent={() => {
            setSent(sent + 1);
            if (!isLive) backToNewest();
          }}
          broken={state.connection === "broken" ? (state.why ?? "") : null}
          onReload={() => void log.load(null)}
        />
      </div>
    </ConversationContext>
  );
}

/** Returns the same list as long as the same questions wait. */
function useSame(questions: readonly Question[]): readonly Question[] {
  const [kept, keep] = useState(questions);
  const isSame =
    kept.length === questions.length && kept.every((one, nth) => one === questions[nth]);
  if (!isSame) keep(questions);
  return isSame ? kept : questions;
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === "session_not_found";
}

function describeNews(
  questions: readonly string[],
  isRunning: boolean,
  canAnswer: boolean,
): string {
  const whose = canAnswer ? "your" : "an";
  if (questions.length > 0) return `Waiting for ${whose} answer: ${questions.join("; ")}`;
  return isRunning ? "The agent is working" : "The agent is not working";
}

/** Loads the events around a linked place if they are not loaded. */
function useGoTo(
  at: number | null,
  { phase, conversation, newer }: LogState,
  load: () => void,
): void {
  const { oldest, newest } = conversation;
  const isBeyond = at !== null && (at < oldest || (at > newest && newer !== "none"));
  const isMissing = phase === "ready" && isBeyond;
  const go = useEffectEvent(load);
  useEffect(() => {
    if (isMissing) go();
  }, [isMissing]);
}

/** A session's log while the page shows it. The caller must use the session's id as `key`. */
function useLog(id: string, at: number | null) {
  const [log] = useState(() => new SessionLog(id, at));
  const state = useSyncExternalStore(log.subscribe, log.read);
  useEffect(() => log.start(), [log]);
  const { connection } = useLive();
  const isCutOff = state.phase === "failed" && state.error instanceof Unreachable;
  useEffect(() => {
    if (connection === "live" && isCutOff) void log.load();
  }, [connection, isCutOff, log]);
  return { log, state };
}
