import type { Session } from "../../../src/contract/session.ts";
import type { MenuPlace } from "./row-menu.tsx";
import { nameOf } from "./session-words.ts";

interface MenuButtonProps {
  readonly session: Session;
  readonly isOpen: boolean;
  onMenu(place: MenuPlace): void;
}

export function MenuButton({ session, isOpen, onMenu }: MenuButtonProps) {
  return (
    <button
      type="button"
      aria-label={`Actions for ${nameOf(session)}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) => onMenu({ session, button: currentTarget })}
      className="relative z-10 flex size-9 items-center justify-center rounded-md text-faint hover:bg-line hover:text-ink aria-expanded:bg-line aria-expanded:text-ink"
    >
      <svg viewBox="0 0 16 16" className="size-4 fill-current" aria-hidden="true">
        <circle cx="3" cy="8" r="1.4" />
        <circle cx="8" cy="8" r="1.4" />
        <circle cx="13" cy="8" r="1.4" />
      </svg>
    </button>
  );
}
