import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode, useRef } from "react";
import { CodeBlock } from "./code-block.tsx";
import { type Blocks, decodeText, growBlocks, isKnown, safeLink } from "./markdown-blocks.ts";

/** What an agent wrote, with its headings, lists and code. Whatever looks like HTML is shown, never obeyed. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  // Kept from one piece of a growing text to the next, so that only its last block is read again.
  const known = useRef<Blocks | null>(null);
  const blocks = growBlocks(known.current, text);
  known.current = blocks;
  return (
    <div className="space-y-3 break-words">
      {blocks.list.map(({ at, token }) => (
        <BlockView key={at} token={token} />
      ))}
    </div>
  );
});

const BlockView = memo(function BlockView({ token }: { readonly token: MarkedToken }) {
  return block(token);
});

function block(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "paragraph":
      return <p>{inlines(token.tokens)}</p>;
    case "heading":
      return heading(token);
    case "code":
      return <CodeBlock text={token.text} language={token.lang ?? ""} />;
    case "list":
      return list(token);
    case "blockquote":
      return (
        <blockquote className="space-y-2 border-l-2 border-line pl-3 text-soft">
          {blocksOf(token.tokens)}
        </blockquote>
      );
    case "table":
      return table(token);
    case "hr":
      return <hr className="border-line" />;
    case "html":
      return <p className="whitespace-pre-wrap">{token.text.replace(/\n$/, "")}</p>;
    case "text":
      return token.tokens ? inlines(token.tokens) : decodeText(token.text);
    case "checkbox":
      return checkbox(token.checked);
    case "space":
    case "def":
      return null;
    default:
      return inline(token);
  }
}

/** The page has an h1, a turn no heading: what an agent calls a heading begins at the third level. */
function heading({ depth, tokens }: Tokens.Heading): ReactNode {
  const children = inlines(tokens);
  if (depth === 1) return <h3 className="pt-1 text-lg font-semibold">{children}</h3>;
  if (depth === 2) return <h4 className="pt-1 text-base font-semibold">{children}</h4>;
  if (depth === 3) return <h5 className="font-semibold">{children}</h5>;
  return <h6 className="font-medium text-soft">{children}</h6>;
}

function list({ ordered, start, items, loose }: Tokens.List): ReactNode {
  const gap = loose ? "space-y-2" : "space-y-0.5";
  const children = items.map((item, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items of a list only ever come behind the others
    <li key={nth} className={item.task ? "-ml-5 list-none" : "marker:text-faint"}>
      {blocksOf(item.tokens)}
    </li>
  ));
  if (!ordered) return <ul className={`list-disc pl-6 ${gap}`}>{children}</ul>;
  return (
    <ol start={start === "" ? 1 : start} className={`list-decimal pl-6 ${gap}`}>
      {children}
    </ol>
  );
}

function checkbox(checked: boolean): ReactNode {
  return (
    <input
      type="checkbox"
      checked={checked}
      readOnly
      tabIndex={-1}
      aria-label={checked ? "done" : "open"}
      className="pointer-events-none mr-1.5 align-[-1px]"
    />
  );
}

const ALIGNED = { left: "text-left", center: "text-center", right: "text-right" } as const;

function table({ header, rows, align }: Tokens.Table): ReactNode {
  const side = (nth: number): string => ALIGNED[align[nth] ?? "left"];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="overflow-x-auto" tabIndex={0} aria-label="Table">
      <table className="text-sm">
        <thead>
          <tr>
            {header.map((cell, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <th key={nth} className={`border border-line bg-raised px-2 py-1 ${side(nth)}`}>
                {inlines(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows only ever come below the others
            <tr key={row}>
              {cells.map((cell, nth) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                <td key={nth} className={`border border-line px-2 py-1 ${side(nth)}`}>
                  {inlines(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function blocksOf(tokens: readonly Token[]): ReactNode {
  return each(tokens, block);
}

function inlines(tokens: readonly Token[]): ReactNode {
  return each(tokens, inline);
}

function each(tokens: readonly Token[], show: (token: MarkedToken) => ReactNode): ReactNode {
  return tokens.map((token, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what is written is only added to
    <Fragment key={nth}>{isKnown(token) ? show(token) : token.raw}</Fragment>
  ));
}

function inline(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? inlines(token.tokens) : decodeText(token.text);
    case "escape":
      return token.text;
    case "strong":
      return <strong className="font-semibold">{inlines(token.tokens)}</strong>;
    case "em":
      return <em>{inlines(token.tokens)}</em>;
    case "del":
      return <del>{inlines(token.tokens)}</del>;
    case "codespan":
      return (
        <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.9em]">{token.text}</code>
      );
    case "br":
      return <br />;
    case "link":
      return link(token.href, inlines(token.tokens), token.raw);
    case "image":
      // A picture would tell its server who reads this.
      return link(token.href, `[image: ${token.text || "without a title"}]`, token.raw);
    case "html":
      return token.text;
    default:
      return token.raw;
  }
}

function link(href: string, children: ReactNode, raw: string): ReactNode {
  const safe = safeLink(href);
  if (safe === null) return raw;
  return (
    <a
      href={safe}
      target="_blank"
      rel="noopener noreferrer"
      className="text-info underline decoration-1 underline-offset-2"
    >
      {children}
    </a>
  );
}
