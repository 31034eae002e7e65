import { Button } from "../ui/button.tsx";
import { useOpened } from "./conversation-context.ts";
import { Markdown } from "./markdown.tsx";

/** Nobody reads more than that in one go, and a browser need not lay it out. */
const FIRST_CHARS = 20_000;

interface LongMessageProps {
  readonly id: string;
  readonly text: string;
  readonly isMarkdown: boolean;
}

/** A text; of a very long one the beginning, until someone asks for all of it. */
export function LongMessage({ id, text, isMarkdown }: LongMessageProps) {
  const [isWhole, setWhole] = useOpened(`${id} whole`);
  const isCut = text.length > FIRST_CHARS && !isWhole;
  const shown = isCut ? text.slice(0, FIRST_CHARS) : text;
  return (
    <>
      {isMarkdown ? (
        <Markdown text={shown} whole={text} />
      ) : (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {shown}
        </p>
      )}
      {isCut && (
        <Button look="plain" className="mt-2" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </Button>
      )}
    </>
  );
}
