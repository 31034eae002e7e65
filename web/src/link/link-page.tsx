import { useEffect, useMemo, useState } from "react";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { isSessionEvent } from "../../../src/core/session/known-events.ts";
import { ask } from "../api/ask.ts";
import {
  ConversationContext,
  type ConversationContextValue,
} from "../session/conversation/conversation-context.ts";
import { EntryView } from "../session/conversation/entry-view.tsx";
import { Conversation } from "../session/log/conversation.ts";
import { Button } from "../ui/button.tsx";
import { Empty, explain, Loading } from "../ui/states.tsx";
import { exactTime } from "../ui/time-ago.tsx";

interface PublicPage {
  readonly title: string | null;
  readonly agent_name: string;
  readonly status: string;
  readonly created_at: string;
  readonly until: string;
  readonly events: readonly PublicEvent[];
  readonly next_cursor: number | null;
}

interface PublicEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: null;
  readonly data: unknown;
}

/** The page of a public link: a session to read, without any actions. */
export function LinkPage() {
  const link = useLink();
  if (link === "") {
    return (
      <Empty title="Nothing to show">
        This address is not complete. Copy the whole link, with the part after the #.
      </Empty>
    );
  }
  return <Shared key={link} link={link} />;
}

/** The secret is after the #, which browsers never send; the page sends it in the body of its request. */
function useLink(): string {
  const [link, setLink] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    const onHash = (): void => setLink(window.location.hash.slice(1));
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);
  return link;
}

function Shared({ link }: { readonly link: string }) {
  const { page, conversation, older, error, loadOlder } = usePublicPages(link);
  const context = useMemo<ConversationContextValue>(
    () => ({
      sessionId: null,
      owner: null,
      isLive: false,
      openQuestions: [],
      opened: new Map(),
      callOf: (action_id) => conversation.callOf(action_id),
      fork: null,
    }),
    [conversation],
  );
  const title = page?.title ?? "Shared session";
  // `usePageTitle` would read counts, which needs a login.
  useEffect(() => {
    document.title = `${visibleLine(title)} · Belay`;
  }, [title]);
  if (!page) {
    if (error === null) return <Loading what="the session" />;
    return <Empty title="Nothing to show">{error}</Empty>;
  }
  return (
    <ConversationContext value={context}>
      <main className="mx-auto max-w-4xl px-4 py-4">
        <header className="border-b border-line pb-3">
          <h1 dir="auto" className="text-lg font-semibold break-words">
            {title}
          </h1>
          <p className="text-sm text-soft">
            Agent {page.agent_name}, {page.status}, started {exactTime(page.created_at)}
          </p>
          <p className="text-sm text-faint">
            Read-only copy with secrets hidden. This link works until {exactTime(page.until)}.
          </p>
        </header>
        {older !== null && (
          <Button className="mt-3" onClick={loadOlder}>
            Show earlier messages
          </Button>
        )}
        <div role="alert">{error !== null && <p className="mt-3 text-bad">{error}</p>}</div>
        <section aria-label="Conversation" className="space-y-2 py-4">
          {conversation.rows.map(({ key, entry }) => (
            <EntryView key={key} entry={entry} at={key} />
          ))}
        </section>
      </main>
    </ConversationContext>
  );
}

interface PublicPages {
  readonly page: PublicPage | null;
  readonly conversation: Conversation;
  readonly older: number | null;
  readonly error: string | null;
}

function usePublicPages(link: string) {
  const [state, setState] = useState<PublicPages>(() => ({
    page: null,
    conversation: new Conversation(),
    older: null,
    error: null,
  }));
  const load = async (before: number | null, signal?: AbortSignal): Promise<void> => {
    const body = { link, ...(before !== null && { before }) };
    try {
      const page: PublicPage = await ask("POST", "/link", { body, ...(signal && { signal }) });
      addEvents(state.conversation, page.events);
      setState((now) => ({ ...now, page: now.page ?? page, older: page.next_cursor, error: null }));
    } catch (error) {
      if (!signal?.aborted) setState((now) => ({ ...now, error: explain(error) }));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is loaded once for each link
  useEffect(() => {
    const gone = new AbortController();
    void load(null, gone.signal);
    return () => gone.abort();
  }, []);
  return { ...state, loadOlder: () => void load(state.older) };
}

function addEvents(conversation: Conversation, events: readonly PublicEvent[]): void {
  for (const event of events) {
    const read = { ...event, at: Date.parse(event.at) };
    if (isSessionEvent(read)) conversation.add(read);
  }
}
