import { useMemo, useState } from "react";
import { shortenLines, shortenText, visibleText } from "../../../src/contract/visible-text.ts";
import { Button } from "./button.tsx";

/** This much fits on a screen together with the answer buttons. */
const MOST_CHARS = 1200;
const MOST_LINES = 20;

/** Text with invisible characters shown; if it is long, its start and end until the reader asks for all of it. */
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
