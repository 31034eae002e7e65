import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { Button } from "../../ui/button.tsx";
import type { Entry, Mark, Said, Text, Tone } from "../log/entry.ts";
import { whoSaid } from "../log/name-door.ts";
import { CallView } from "./call-view.tsx";
import { Chevron } from "./chevron.tsx";
import { useConversation, useOpened } from "./conversation-context.ts";
import { Markdown } from "./markdown.tsx";
import { PlanList } from "./plan-list.tsx";
import { QuestionView } from "./question-view.tsx";
import { TimeOf } from "./time-of.tsx";
import { TurnEndView } from "./turn-end-view.tsx";

/** One entry of a conversation. */
export const EntryView = memo(function EntryView({ entry, at }: EntryViewProps) {
  switch (entry.kind) {
    case "said":
      return <SaidView said={entry} id={at} />;
    case "message":
      return <MessageView message={entry} id={at} />;
    case "thought":
      return <ThoughtView thought={entry} id={at} />;
    case "plan":
      return (
        <section aria-label="Plan" className="rounded-md border border-line bg-panel px-3 py-2">
          <PlanList lines={entry.lines} />
        </section>
      );
    case "call":
      return <CallView call={entry} />;
    case "note":
      return <p className="pl-6 text-sm whitespace-pre-wrap text-faint">{entry.text}</p>;
    case "question":
      return <QuestionView question={entry} />;
    case "end":
      return <TurnEndView end={entry} />;
    case "mark":
      return <MarkView mark={entry} />;
  }
});

interface EntryViewProps {
  readonly entry: Entry;
  /** The key of its row. */
  readonly at: string;
}

function SaidView({ said, id }: { readonly said: Said; readonly id: string }) {
  const { owner } = useConversation();
  const author = whoSaid(said, owner);
  return (
    <article
      aria-label={author}
      className="mt-2 rounded-lg border border-line bg-raised px-4 py-2.5"
    >
      <header className="flex items-baseline justify-between gap-3 text-xs text-faint">
        <span className="font-medium text-soft">{author}</span>
        <TimeOf entry={said} />
      </header>
      {said.text === null ? (
        <p className="text-sm text-faint">This message is further up and not loaded yet.</p>
      ) : (
        <LongMessage id={id} text={said.text} isMarkdown={false} />
      )}
    </article>
  );
}

function MessageView({ message, id }: { readonly message: Text; readonly id: string }) {
  return (
    <article aria-label="Agent" className="py-0.5">
      {message.isCut && (
        <p className="text-sm text-faint">
          … The start of this message is further up and not loaded yet.
        </p>
      )}
      <LongMessage id={id} text={message.text} isMarkdown />
    </article>
  );
}

const PREVIEW_CHARS = 160;

function ThoughtView({ thought, id }: { readonly thought: Text; readonly id: string }) {
  const [isOpen, setOpen] = useOpened(id);
  const preview = thought.text.slice(0, PREVIEW_CHARS).replaceAll(/\s+/g, " ").trim();
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group text-sm text-soft"
    >
      <summary className="flex min-h-7 list-none items-center gap-2 rounded-md hover:text-ink [&::-webkit-details-marker]:hidden">
        <Chevron />
        <span className="shrink-0 font-medium">Thought</span>
        <span className="min-w-0 truncate text-faint italic group-open:invisible">{preview}</span>
      </summary>
      {isOpen && (
        <div className="mt-1 ml-1.5 border-l-2 border-line pl-4 whitespace-pre-wrap">
          <LongMessage id={`${id} all`} text={thought.text} isMarkdown={false} />
        </div>
      )}
    </details>
  );
}

const TONES = {
  plain: "text-faint",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
} as const satisfies Record<Tone, string>;

function MarkView({ mark }: { readonly mark: Mark }) {
  const { text, more, link, tone } = mark;
  return (
    <div className={`flex items-baseline gap-2 py-0.5 text-xs ${TONES[tone]}`}>
      <span aria-hidden className="w-3.5 shrink-0 text-center">
        {tone === "plain" ? "·" : "●"}
      </span>
      <p className="min-w-0 flex-1 break-words">
        {link === null ? (
          text
        ) : (
          <Link to="/s/$id" params={{ id: link }} className="underline underline-offset-2">
            {text}
          </Link>
        )}
        {more !== null && <span className="whitespace-pre-wrap text-soft"> — {more}</span>}
      </p>
      <TimeOf entry={mark} />
    </div>
  );
}

/** The latest entry, only for screen readers. */
export function Announce({ text }: { readonly text: string }) {
  const { isLive } = useConversation();
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {isLive ? text : ""}
    </p>
  );
}

/** Nobody reads more at once, and rendering it would be slow. */
const FIRST_CHARS = 20_000;

interface LongMessageProps {
  readonly id: string;
  readonly text: string;
  readonly isMarkdown: boolean;
}

/** A text; if it is very long, its start until the reader asks for all of it. */
function LongMessage({ id, text, isMarkdown }: LongMessageProps) {
  const [isWhole, setWhole] = useOpened(`${id} whole`);
  const isCut = text.length > FIRST_CHARS && !isWhole;
  const shown = isCut ? text.slice(0, FIRST_CHARS) : text;
  return (
    <>
      {isMarkdown ? (
        <Markdown text={shown} whole={text} />
      ) : (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {shown}
        </p>
      )}
      {isCut && (
        <Button look="plain" className="mt-2" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </Button>
      )}
    </>
  );
}
