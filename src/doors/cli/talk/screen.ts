import { terminalText } from "../terminal-text.ts";
import type { TalkTerminal } from "./talk-terminal.ts";

/** Permanent text with one changing line below it, for interactive use. */
interface Screen {
  print(text: string): void;
  /** Must fit into one row; an empty line removes it. */
  live(line: string): void;
}

const ERASE_ROW = "\r\u001b[2K";
/** Makes sure that there is a row below, saves the cursor, and moves to the start of that row. */
const GO_BELOW = "\u001bD\u001b[A\u001b7\r\n";
const GO_BACK = "\u001b8";

export function createScreen({
  interactive,
  color,
  draw: write,
}: Pick<TalkTerminal, "interactive" | "color" | "draw">): Screen {
  let isOpen = false;
  let wanted = "";
  let drawn: { readonly line: string; readonly below: boolean } | null = null;

  return {
    print(text) {
      if (text === "") return;
      const before = erase();
      isOpen = !text.endsWith("\n");
      // While text streams into a line, the status line is hidden, because it would flicker.
      write(before + terminalText(text, color) + (isOpen ? "" : draw()));
    },
    live(line) {
      wanted = line;
      if (!interactive || (drawn?.line ?? "") === line) return;
      write(erase() + draw());
    },
  };

  function erase(): string {
    if (drawn === null) return "";
    const { below } = drawn;
    drawn = null;
    return ERASE_ROW + (below ? GO_BACK : "");
  }

  function draw(): string {
    if (!interactive || wanted === "") return "";
    drawn = { line: wanted, below: isOpen };
    return (isOpen ? GO_BELOW : "") + terminalText(wanted, color);
  }
}
