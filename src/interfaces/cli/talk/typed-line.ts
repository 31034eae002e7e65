import { createInterface } from "node:readline";
import { PassThrough, Writable } from "node:stream";

/** The line that someone types, with its editing and history. It is seen only while it is shown. */
interface TypedLine {
  readonly text: string;
  /** What has been typed. */
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
  // Stopping the process here would leave the terminal as we have set it.
  lines.on("SIGTSTP", () => {});
  input.on("keypress", options.onChange);

  return {
    get text() {
      return lines.line;
    },
    // Not written but emitted, so that it has been read when this returns.
    feed: (typed) => void input.emit("data", typed),
    show() {
      if (isShown) return;
      // Taken out and put in again, because readline would go up the rows that it believes to have drawn.
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
