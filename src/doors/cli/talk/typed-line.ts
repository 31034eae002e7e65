import { PassThrough, Writable } from "node:stream";

/** The line that a person types, with editing and history. It is only visible while it is shown. */
interface TypedLine {
  readonly text: string;
  /** Passes typed text to the line. */
  feed(typed: string): void;
  show(): void;
  hide(): void;
  close(): void;
}

interface TypedLineOptions {
  readonly columns: number;
  write(text: string): void;
  onLine(text: string): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  onChange(): void;
}

const PROMPT = "> ";

export function createTypedLine(options: TypedLineOptions): TypedLine {
  let isShown = false;
  const input = new PassThrough();
  const output = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      if (isShown) options.write(String(text));
      done();
    },
  });
  // Loaded here, because every command loads this file and few talk.
  const { createInterface } = process.getBuiltinModule("node:readline");
  const lines = createInterface({
    input,
    output: Object.assign(output, { columns: options.columns }),
    terminal: true,
    prompt: PROMPT,
  });
  lines.on("line", (text) => {
    isShown = false;
    options.onLine(text);
  });
  lines.on("SIGINT", options.onInterrupt);
  // Stopping the process here would leave the terminal in raw mode.
  lines.on("SIGTSTP", () => {});
  input.on("keypress", options.onChange);

  return {
    get text() {
      return lines.line;
    },
    // Emitted instead of written, so that it is processed when this returns.
    feed: (typed) => void input.emit("data", typed),
    show() {
      if (isShown) return;
      // Removed and inserted again, because readline would move up the rows that it believes to have drawn.
      const text = lines.line;
      lines.write(null, { ctrl: true, name: "e" });
      lines.write(null, { ctrl: true, name: "u" });
      isShown = true;
      lines.prompt();
      if (text !== "") lines.write(text);
    },
    hide() {
      if (!isShown) return;
      const { rows } = lines.getCursorPos();
      isShown = false;
      options.write(`${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J`);
    },
    close() {
      this.hide();
      lines.close();
    },
  };
}
