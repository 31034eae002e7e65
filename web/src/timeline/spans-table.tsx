import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { EFFECTS_WORDS } from "../ui/effects-words.ts";
import { exactTime } from "../ui/time-ago.tsx";
import { KIND_WORDS, nameOf, statusWords } from "./spans/describe-span.ts";
import { type Item, tookOf } from "./spans/items.ts";
import { formatDuration } from "./time/format-duration.ts";

const PAGE = 100;

interface Props {
  readonly items: readonly Item[];
  readonly now: number;
  /** Null if all are of one session. */
  readonly titleOf: ((session_id: string) => string) | null;
}

/** The content of the picture as a table. */
export function SpansTable({ items, now, titleOf }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-block min-h-9 rounded-md px-1 py-1.5 text-sm font-medium text-soft hover:text-ink">
        Show as a table
      </summary>
      {isOpen && <Rows items={items} now={now} titleOf={titleOf} />}
    </details>
  );
}

const CELL = "px-3 py-1.5 align-top";

function Rows({ items, now, titleOf }: Props) {
  const [most, setMost] = useState(PAGE);
  // Newest first, because people ask about that first.
  const shown = items.slice(-most).reverse();
  return (
    <>
      <section
        aria-label="Timeline as a table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        className="mt-2 max-h-[70vh] overflow-auto rounded-md border border-line bg-panel"
      >
        <table className="w-full min-w-[40rem] text-left text-sm">
          <thead className="sticky top-0 bg-panel text-xs text-faint">
            <tr>
              {titleOf && <th className={CELL}>Session</th>}
              <th className={CELL}>Kind</th>
              <th className={CELL}>Name</th>
              <th className={CELL}>Status</th>
              <th className={CELL}>From</th>
              <th className={CELL}>Duration</th>
              <th className={CELL}>Effects</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((item) => {
              const { key, span, from, to, session_id } = item;
              return (
                <tr key={key} className="border-t border-line">
                  {titleOf && <td className={CELL}>{titleOf(session_id)}</td>}
                  <td className={CELL}>{KIND_WORDS[span.kind]}</td>
                  <td className={`${CELL} max-w-80 break-words`}>
                    <Link
                      to="/s/$id"
                      params={{ id: session_id }}
                      search={{ at: span.seq }}
                      className="underline decoration-line underline-offset-2 hover:decoration-ink"
                    >
                      {nameOf(span)}
                    </Link>
                  </td>
                  <td className={CELL}>{statusWords(span)}</td>
                  <td className={`${CELL} whitespace-nowrap tabular-nums`}>
                    {exactTime(span.from)}
                  </td>
                  <td className={`${CELL} whitespace-nowrap tabular-nums`}>
                    {from === to ? "–" : formatDuration(tookOf(item, now))}
                  </td>
                  <td className={CELL}>
                    {span.effects === null ? "–" : EFFECTS_WORDS[span.effects]}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {most < items.length && (
        <Button className="mt-2" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, items.length - most)} more of {items.length}
        </Button>
      )}
    </>
  );
}
