import { Link } from "@tanstack/react-router";
import type { AuditLine } from "../../../src/contract/past.ts";
import { auditKind } from "../../../src/core/view/audit-kind.ts";
import { exactTime } from "../ui/time-ago.tsx";
import { describeActor, describeData, KIND_WORDS, sessionOf } from "./audit-words.ts";

interface Props {
  /** Newest first. */
  readonly entries: readonly AuditLine[];
  /** True if entries of other owners are among them. */
  readonly isEveryones: boolean;
}

/** The entries as a list that also fits a phone. */
export function AuditEntries({ entries, isEveryones }: Props) {
  return (
    <ol
      aria-label="Entries"
      className="divide-y divide-line rounded-lg border border-line bg-panel text-sm"
    >
      {entries.map((entry) => (
        <Entry
          key={`${entry.kind} ${entry.owner} ${entry.id} ${entry.seq}`}
          entry={entry}
          isEveryones={isEveryones}
        />
      ))}
    </ol>
  );
}

function Entry({
  entry,
  isEveryones,
}: {
  readonly entry: AuditLine;
  readonly isEveryones: boolean;
}) {
  const { at, actor, type, owner, kind, id, data } = entry;
  const words = KIND_WORDS[auditKind(type)];
  const session = sessionOf(entry, !isEveryones);
  const facts = describeData(data);
  return (
    <li className="grid gap-x-4 gap-y-0.5 px-4 py-2 md:grid-cols-[12rem_10rem_minmax(0,1fr)]">
      <p className="text-soft">
        <time dateTime={at}>{exactTime(at)}</time>
      </p>
      <p dir="auto" className="min-w-0 font-medium break-words">
        {describeActor(actor)}
        <span className="font-normal text-soft"> via {entry.interface}</span>
      </p>
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className={`rounded-full px-2 text-xs leading-5 font-medium ${words.look}`}>
            {words.one}
          </span>
          <span className="font-mono break-all">{type}</span>
          {session === null ? (
            <span dir="auto" className="break-all text-soft">
              {kind === "system" ? owner : `${owner}/${id}`}
            </span>
          ) : (
            <Link
              to="/s/$id"
              params={{ id: session }}
              className="break-all text-accent underline underline-offset-2"
            >
              {kind === "session" ? id : "open session"}
            </Link>
          )}
        </p>
        {facts !== "" && (
          <p dir="auto" className="break-words text-soft">
            {facts}
          </p>
        )}
      </div>
    </li>
  );
}
