import type { ReactNode } from "react";
import { CheckpointMark, LifeEnd, RecoveryMark } from "./marks.tsx";

const BARS = [
  { look: "fill-good", says: "completed" },
  { look: "fill-bad", says: "failed (taller, with a cross)", isTall: true },
  { look: "fill-[url(#belay-hatch)] stroke-warn", says: "outcome unknown" },
  { look: "fill-info-soft stroke-info", says: "turn, or running" },
  {
    look: "fill-raised stroke-faint [stroke-dasharray:3_2]",
    says: "interrupted, rejected or dropped",
  },
  { look: "fill-[url(#belay-dots)] stroke-accent", says: "waiting for an answer" },
  { look: "fill-accent-soft stroke-accent", says: "answered" },
] as const;

/** The meaning of the shapes. */
export function Legend() {
  return (
    <ul
      aria-label="Legend"
      className="flex flex-wrap gap-x-5 gap-y-1.5 border-t border-line pt-3 text-xs text-soft"
    >
      {BARS.map(({ look, says, ...rest }) => (
        <Entry key={says} says={says}>
          <rect
            x="1"
            y={"isTall" in rest ? 1 : 3}
            width="20"
            height={"isTall" in rest ? 14 : 10}
            rx="2"
            className={look}
          />
          {"isTall" in rest && (
            <path d="M8,5l6,6m0,-6l-6,6" className="stroke-panel stroke-[1.5]" />
          )}
        </Entry>
      ))}
      <Entry says="checkpoint">
        <CheckpointMark x={11} y={8} />
      </Entry>
      <Entry says="recovery">
        <RecoveryMark x={11} y={8} asks={false} />
      </Entry>
      <Entry says="recovery that asked a person">
        <RecoveryMark x={11} y={8} asks />
      </Entry>
      <Entry says="agent's process, ended normally">
        <path d="M4,8H18" className="stroke-soft stroke-[1.5]" />
        <circle cx="4" cy="8" r="3" className="fill-soft" />
        <LifeEnd x={18} y={8} isAbrupt={false} />
      </Entry>
      <Entry says="agent's process, ended abruptly">
        <path d="M2,8H16" className="stroke-soft stroke-[1.5]" />
        <LifeEnd x={16} y={8} isAbrupt />
      </Entry>
      <Entry says="idle time, compressed">
        <rect x="6" y="0" width="10" height="16" className="fill-page" />
        <path d="M6,0V16M16,0V16" className="stroke-faint [stroke-dasharray:2_2]" />
      </Entry>
    </ul>
  );
}

function Entry({ says, children }: { readonly says: string; readonly children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <svg width="22" height="16" aria-hidden="true">
        {children}
      </svg>
      {says}
    </li>
  );
}
