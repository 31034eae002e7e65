import { useState } from "react";
import { Button } from "./button.tsx";

const FIRST_CHARS = 4000;

/** Text as it is, line by line; of a long one the beginning, until someone asks for all of it. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > FIRST_CHARS && !isWhole;
  return (
    <>
      <pre className="font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">
        {isCut ? `${text.slice(0, FIRST_CHARS)} ⋯` : text}
      </pre>
      {isCut && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </Button>
      )}
    </>
  );
}
