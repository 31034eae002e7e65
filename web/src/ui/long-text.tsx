import { useMemo, useState } from "react";
import { shortenLines, shortenText, visibleText } from "../../../src/contract/visible-text.ts";
import { Button } from "./button.tsx";

/** So much fits on a screen together with the buttons that answer it. */
const MOST_CHARS = 1200;
const MOST_LINES = 20;

/** Text with nothing hidden in it; of a long one the beginning and the end, until someone asks for all of it. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const visible = useMemo(() => visibleText(text), [text]);
  const short = useMemo(
    () => shortenText(shortenLines(visible, MOST_LINES), MOST_CHARS),
    [visible],
  );
  const isCut = short !== visible && !isWhole;
  return (
    <>
      <pre className="font-mono text-[13px] leading-5 break-words whitespace-pre-wrap">
        {isCut ? short : visible}
      </pre>
      {isCut && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show all {visible.length.toLocaleString("en")} characters
        </Button>
      )}
    </>
  );
}
