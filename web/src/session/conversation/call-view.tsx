import { describeEffects } from "../../ui/effects-words.ts";
import { LineDiff } from "../../ui/line-diff.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { ToolInput } from "../../ui/tool-input.tsx";
import type { Call } from "../log/entry.ts";
import { Chevron } from "./chevron.tsx";
import { CopyButton } from "./code-block.tsx";
import {
  type ConversationContextValue,
  useConversation,
  useOpened,
} from "./conversation-context.ts";
import { formatSpan, TimeOf } from "./time-of.tsx";

const STATES = {
  running: ["…", "running", "text-info"],
  asked: ["…", "needs approval", "text-accent"],
  unended: ["…", "continues below", "text-faint"],
  cut: ["…", "not finished", "text-faint"],
  completed: ["✓", "completed", "text-good"],
  failed: ["✕", "failed", "text-bad"],
  interrupted: ["■", "interrupted", "text-warn"],
  unknown: ["?", "outcome unknown", "text-warn"],
  dropped: ["■", "continued in the other session", "text-faint"],
} as const;

function stateOf(call: Call, context: ConversationContextValue): State {
  const { sessionId, isLive, openQuestions } = context;
  if (call.isUnknown) return "unknown";
  if (call.status !== "started") return call.status;
  // A public page ends where the link was created.
  if (sessionId === null) return "cut";
  if (!isLive) return "unended";
  return openQuestions.some(({ action_id }) => action_id === call.action_id) ? "asked" : "running";
}
type State = keyof typeof STATES;

/** A tool call: one line with its title and state; everything else is folded. */
export function CallView({ call }: { readonly call: Call }) {
  const conversation = useConversation();
  const [isOpen, setOpen] = useOpened(`call ${call.action_id}`);
  const state = stateOf(call, conversation);
  const [sign, word, look] = STATES[state];
  const took =
    call.at !== null && call.ended_at !== null ? call.ended_at - call.at - call.waited : null;
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className={`group rounded-md border bg-panel text-sm ${state === "unknown" ? "hatched border-warn" : "border-line"}`}
    >
      <summary className="flex min-h-9 list-none items-center gap-2 rounded-md px-2 hover:bg-raised [&::-webkit-details-marker]:hidden">
        <Chevron />
        <span
          aria-hidden
          className={`w-4 shrink-0 text-center font-semibold ${look} ${state === "running" ? "motion-safe:animate-pulse" : ""}`}
        >
          {sign}
        </span>
        <span className="min-w-0 truncate font-mono text-[13px]">{call.title}</span>
        <span className="shrink-0 text-xs text-faint max-sm:hidden">{call.tool}</span>
        <span className={`ml-auto shrink-0 text-xs ${look}`}>
          {word}
          {took !== null && <span className="text-faint"> · {formatSpan(took)}</span>}
        </span>
      </summary>
      {isOpen && <CallDetails call={call} />}
      {!isOpen && call.diffs.length > 0 && (
        <p className="truncate border-t border-line px-3 py-1 font-mono text-xs text-soft">
          {call.diffs.map(({ path }) => path).join(", ")}
        </p>
      )}
    </details>
  );
}

function CallDetails({ call }: { readonly call: Call }) {
  const { input, output, diffs, effects } = call;
  return (
    <div className="space-y-3 border-t border-line px-3 py-2.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-xs text-faint">
        <span>
          {call.tool}
          {effects && `, ${describeEffects(call.tool, effects)}`}
        </span>
        <TimeOf entry={call} />
      </p>
      {input !== null && (
        <div>
          <p className="mb-1 text-xs font-medium text-soft">Input</p>
          <ToolInput input={input} />
        </div>
      )}
      {diffs.map((diff, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one call may change a file twice
        <LineDiff key={nth} diff={diff} />
      ))}
      {output !== null && output !== "" && (
        <div>
          <div className="mb-1 flex items-center justify-between">
            <p className="text-xs font-medium text-soft">Output</p>
            <CopyButton read={() => output} what="output" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <div className="max-h-[36rem] overflow-auto rounded-md bg-raised px-3 py-2" tabIndex={0}>
            <LongText text={output} />
          </div>
        </div>
      )}
      {input === null && diffs.length === 0 && !output && (
        <p className="text-faint">No details were recorded.</p>
      )}
    </div>
  );
}
