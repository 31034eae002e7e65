import type { MouseEvent } from "react";

interface RowLinkProps {
  readonly id: string;
  readonly name: string;
  onFocus(id: string): void;
  onOpen(id: string): void;
}

/** A plain link over its whole row; the router's own would listen to the address in every row. */
export function RowLink({ id, name, onFocus, onOpen }: RowLinkProps) {
  const open = (event: MouseEvent): void => {
    // In a new tab or window, as one asks of any link.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    onOpen(id);
  };
  return (
    <a
      href={`/s/${encodeURIComponent(id)}`}
      data-session={id}
      title={name}
      dir="auto"
      onFocus={() => onFocus(id)}
      onClick={open}
      className="truncate text-sm font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      {name}
    </a>
  );
}
