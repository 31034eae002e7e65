import { Menu } from "@base-ui/react/menu";
import { useState } from "react";
import type { Session } from "../../../src/contract/session.ts";
import { ACTIONS, type Action, isPossible, SHOWN } from "../session/session-actions.ts";
import { type Role, useRole } from "../session/use-role.ts";

/** The session of an open menu, and the menu's button. */
export interface MenuPlace {
  readonly session: Session;
  readonly button: HTMLElement;
}

interface RowMenuProps {
  readonly place: MenuPlace | null;
  onAction(action: Action, session: Session): void;
  onClose(): void;
}

/** Shown if a role allows no action of the menu. */
const CAN = {
  viewer: "A viewer can only read it.",
  approver: "An approver can only read it and answer its questions.",
  editor: "An editor has no action here now.",
} as const satisfies Record<Exclude<Role, "owner">, string>;

/** The menu of a session. One for all rows, because a menu in each would slow down scrolling. */
export function RowMenu({ place, onAction, onClose }: RowMenuProps) {
  // The content stays while the menu closes.
  const [shown, show] = useState(place);
  if (place && place !== shown) show(place);
  const role = useRole(shown?.session.session_id ?? "");
  if (!shown) return null;
  const { session, button } = shown;
  const actions = ACTIONS.filter((action) => isPossible(action, session, role));
  return (
    <Menu.Root open={place !== null} onOpenChange={(open) => open || onClose()}>
      <Menu.Portal>
        <Menu.Positioner anchor={button} align="end" sideOffset={4} className="z-50">
          <Menu.Popup
            aria-label="Actions"
            finalFocus={() => button}
            className="min-w-48 rounded-md border border-line bg-panel p-1 shadow-lg outline-none"
          >
            {actions.length === 0 && role !== "owner" && (
              <p className="px-2 py-1.5 text-sm text-soft">{CAN[role]}</p>
            )}
            {actions.map((action) => (
              <Menu.Item
                key={action}
                onClick={() => onAction(action, session)}
                className={`flex min-h-9 cursor-default items-center rounded px-2 text-sm outline-none data-[highlighted]:bg-raised ${action === "cancel" || action === "delete" ? "text-bad" : ""}`}
              >
                {SHOWN[action].label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
