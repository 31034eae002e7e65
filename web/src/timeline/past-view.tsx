import { Switch } from "@base-ui/react/switch";
import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import type { SessionSpans } from "../../../src/contract/past.ts";
import { useNow } from "../live/use-now.ts";
import { Empty } from "../ui/states.tsx";
import { Legend } from "./picture/legend.tsx";
import { PAD_PX } from "./picture/padded-svg.tsx";
import { Picture } from "./picture/picture.tsx";
import { useWidth } from "./picture/use-measured.ts";
import { busyTimes, itemsOf, wholeOf } from "./spans/items.ts";
import { layTracks } from "./spans/lay-tracks.ts";
import { SpansTable } from "./spans-table.tsx";
import { findStretches, type Stretch } from "./time/stretches.ts";

const GUTTER = { wide: 92, narrow: 72 } as const;
const NARROW_PX = 560;

interface Props {
  readonly label: string;
  readonly sessions: readonly SessionSpans[];
  heading(session: SessionSpans): ReactNode;
}

/** Sessions as a picture over time, with a legend and a table. */
export function PastView({ label, sessions, heading }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const measured = useWidth(box);
  const [compresses, setCompresses] = useState(true);
  const drawn = useMemo(
    () =>
      sessions.map((session) => {
        const items = itemsOf(session);
        return { session, items, laid: layTracks(items) };
      }),
    [sessions],
  );
  const items = useMemo(
    () => drawn.flatMap(({ items: some }) => some).sort((a, b) => a.from - b.from),
    [drawn],
  );
  const isOpen = items.some(({ to }) => to === Infinity);
  const now = useNow(isOpen);
  const stretches = useMemo<readonly Stretch[]>(() => {
    const whole = wholeOf(items, now);
    if (!compresses) return [{ ...whole, isBreak: false }];
    const busy = drawn.flatMap(({ items: some, session }) => busyTimes(some, session, now));
    return findStretches(busy, whole);
  }, [items, drawn, now, compresses]);
  const titles = useMemo(
    () => new Map(sessions.map(({ session_id, title }) => [session_id, title ?? session_id])),
    [sessions],
  );
  const gutter = (measured ?? 0) < NARROW_PX ? GUTTER.narrow : GUTTER.wide;
  const width = Math.max(60, (measured ?? 0) - gutter - PAD_PX);
  return (
    <div ref={box} className="space-y-4">
      {items.length === 0 ? (
        <Empty title="Nothing recorded yet">
          <p>The agent’s work appears here while it runs.</p>
        </Empty>
      ) : (
        measured !== null && (
          <>
            <Picture
              label={label}
              sessions={drawn}
              stretches={stretches}
              width={width}
              gutter={gutter}
              now={now}
              heading={heading}
              options={<CompressSwitch isOn={compresses} onChange={setCompresses} />}
            />
            <Legend />
            <SpansTable
              items={items}
              now={now}
              titleOf={sessions.length > 1 ? (id) => titles.get(id) ?? id : null}
            />
          </>
        )
      )}
    </div>
  );
}

function CompressSwitch({
  isOn,
  onChange,
}: {
  readonly isOn: boolean;
  onChange(isOn: boolean): void;
}) {
  const id = useId();
  return (
    <div className="ml-auto flex min-h-9 items-center gap-2 text-sm text-soft">
      <label htmlFor={id}>Compress idle time</label>
      <Switch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        className="relative h-5 w-9 rounded-full border border-line bg-raised data-[checked]:border-accent data-[checked]:bg-accent"
      >
        <Switch.Thumb className="block size-4 translate-x-px rounded-full bg-faint transition-transform data-[checked]:translate-x-4 data-[checked]:bg-on-accent" />
      </Switch.Root>
    </div>
  );
}
