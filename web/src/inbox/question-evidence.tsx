import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Approval } from "../../../src/contract/session.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import type { Effects } from "../../../src/contract/vocabulary.ts";
import { switchesMode } from "../../../src/core/session/choose-option.ts";
import { describeEffects } from "../ui/effects-words.ts";
import { LineDiff } from "../ui/line-diff.tsx";
import { LongText } from "../ui/long-text.tsx";
import { RollbackSteps } from "../ui/rollback-steps.tsx";
import { ToolInput } from "../ui/tool-input.tsx";

const REACHES_OUT: ReadonlySet<Effects> = new Set(["remote", "unknown"]);

/** The subject of the question: the tool's input and its changes. */
export function QuestionEvidence({ approval }: { readonly approval: Approval }) {
  const { kind, body, action, rollback } = approval;
  // The body of a permission is the shortened input of its tool call.
  const says = kind === "permission" && action !== null ? null : body;
  return (
    <div className="max-w-4xl space-y-4">
      {says !== null && says !== "" && (
        <div className="max-w-3xl">
          <LongText text={says} />
        </div>
      )}
      {action && (
        <Part title="Tool call">
          <p className="mb-2 text-sm">
            {!approval.title.includes(action.title) && (
              <span className="block font-medium break-words">{visibleLine(action.title)}</span>
            )}
            <span
              className={
                REACHES_OUT.has(action.effects) || switchesMode(approval.title, action.type)
                  ? "text-warn"
                  : "text-soft"
              }
            >
              <code className="rounded bg-raised px-1.5 py-0.5 font-mono text-[13px] text-ink">
                {action.type}
              </code>{" "}
              ({describeEffects(action.type, action.effects)})
            </span>
          </p>
          <div className="space-y-2">
            {action.diffs.map((diff) => (
              <LineDiff key={diff.path} diff={diff} />
            ))}
          </div>
          {action.diffs.length === 0 && action.input !== null && (
            <div className="rounded-md border border-line bg-panel px-3 py-2">
              <ToolInput input={action.input} />
            </div>
          )}
          <p className="mt-2 text-sm">
            <Link
              to="/s/$id"
              params={{ id: approval.session_id }}
              search={{ at: approval.seq }}
              className="text-accent underline underline-offset-2"
            >
              Show the whole tool call in its session
            </Link>
          </p>
        </Part>
      )}
      {kind === "recovery" && rollback.length > 0 && (
        <Part title="Rollback steps">
          <RollbackSteps steps={rollback} />
        </Part>
      )}
      {kind === "recovery" && (
        <p className="text-sm">
          <Link to="/recovery" className="text-accent underline underline-offset-2">
            Show what recovery found
          </Link>
        </p>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1.5 text-sm font-medium text-soft">{title}</h3>
      {children}
    </div>
  );
}
