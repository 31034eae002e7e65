import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode, useRef } from "react";
import { useCopy } from "../../ui/use-copy.ts";
import { CodeBlock, CutContext } from "./code-block.tsx";
import {
  type Blocks,
  codeAt,
  decodeText,
  filePath,
  growBlocks,
  isKnown,
  PATH_IN_TEXT,
  safeLink,
} from "./markdown-blocks.ts";

/** An agent's Markdown, with headings, lists and code. HTML is shown as text and never rendered. */
export const Markdown = memo(function Markdown({ text, whole = text }: MarkdownProps) {
  // Reused while a text grows, so that only its last block is parsed again.
  const known = useRef<Blocks | null>(null);
  const blocks = growBlocks(known.current, text);
  known.current = blocks;
  const lastAt = blocks.list.at(-1)?.at;
  return (
    <div className="space-y-3 break-words">
      {blocks.list.map(({ at, token }) => (
        <CutContext key={at} value={whole !== text && at === lastAt}>
          {token.type === "code" ? (
            <CodeBlock
              text={token.text}
              language={token.lang ?? ""}
              whole={whole === text ? undefined : () => codeAt(whole, at)}
            />
          ) : (
            <BlockView token={token} />
          )}
        </CutContext>
      ))}
    </div>
  );
});

interface MarkdownProps {
  readonly text: string;
  /** The whole text if `text` is only its start. */
  readonly whole?: string;
}

const BlockView = memo(function BlockView({ token }: { readonly token: MarkedToken }) {
  return block(token);
});

function block(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "paragraph":
      return <p dir="auto">{inlines(token.tokens)}</p>;
    case "heading":
      return heading(token);
    case "code":
      return <CodeBlock text={token.text} language={token.lang ?? ""} />;
    case "list":
      return list(token);
    case "blockquote":
      return (
        <blockquote dir="auto" className="space-y-2 border-s-2 border-line ps-3 text-soft">
          {blocksOf(token.tokens)}
        </blockquote>
      );
    case "table":
      return table(token);
    case "hr":
      return <hr className="border-line" />;
    case "html":
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          {token.text.replace(/\n$/, "")}
        </p>
      );
    case "text":
      return token.tokens ? inlines(token.tokens) : withPaths(decodeText(token.text));
    case "checkbox":
      return checkbox(token.checked);
    case "space":
    case "def":
      return null;
    default:
      return inline(token);
  }
}

/** The page has an h1 and turns have no headings, so an agent's headings start at the third level. */
function heading({ depth, tokens }: Tokens.Heading): ReactNode {
  const children = inlines(tokens);
  if (depth === 1)
    return (
      <h3 dir="auto" className="pt-1 text-lg font-semibold">
        {children}
      </h3>
    );
  if (depth === 2)
    return (
      <h4 dir="auto" className="pt-1 text-base font-semibold">
        {children}
      </h4>
    );
  if (depth === 3)
    return (
      <h5 dir="auto" className="font-semibold">
        {children}
      </h5>
    );
  return (
    <h6 dir="auto" className="font-medium text-soft">
      {children}
    </h6>
  );
}

function list({ ordered, start, items, loose }: Tokens.List): ReactNode {
  const gap = loose ? "space-y-2" : "space-y-0.5";
  const children = items.map((item, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items of a list only ever come behind the others
    <li key={nth} className={item.task ? "-ms-5 list-none" : "marker:text-faint"}>
      {blocksOf(item.tokens)}
    </li>
  ));
  if (!ordered)
    return (
      <ul dir="auto" className={`list-disc ps-6 ${gap}`}>
        {children}
      </ul>
    );
  return (
    <ol dir="auto" start={start === "" ? 1 : start} className={`list-decimal ps-6 ${gap}`}>
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
      <table dir="auto" className="text-sm">
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
      return token.tokens ? inlines(token.tokens) : withPaths(decodeText(token.text));
    case "escape":
      return token.text;
    case "strong":
      return <strong className="font-semibold">{inlines(token.tokens)}</strong>;
    case "em":
      return <em>{inlines(token.tokens)}</em>;
    case "del":
      return <del>{inlines(token.tokens)}</del>;
    case "codespan":
      return PATH_IN_TEXT.exec(token.text)?.[0] === token.text ? (
        <CopyablePath path={token.text}>{token.text}</CopyablePath>
      ) : (
        <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.9em]">{token.text}</code>
      );
    case "br":
      return <br />;
    case "link":
      return link(token.href, inlines(token.tokens), token.raw);
    case "image":
      // Loading a picture would tell its server who reads this.
      return link(token.href, `[image: ${token.text || "without a title"}]`, token.raw);
    case "html":
      return token.text;
    default:
      return token.raw;
  }
}

/** The odd parts are paths. */
function withPaths(text: string): ReactNode {
  if (!PATH_IN_TEXT.test(text)) return text;
  return text.split(PATH_IN_TEXT).map((part, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what is written is only added to
    <Fragment key={nth}>
      {nth % 2 === 1 ? <CopyablePath path={part}>{part}</CopyablePath> : part}
    </Fragment>
  ));
}

function link(href: string, children: ReactNode, raw: string): ReactNode {
  const safe = safeLink(href);
  const path = safe === null ? filePath(href) : null;
  if (path !== null) return <CopyablePath path={path}>{children}</CopyablePath>;
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

interface CopyablePathProps {
  readonly path: string;
  readonly children: ReactNode;
}

/** A file path, which a browser cannot open: clicking copies it. */
function CopyablePath({ path, children }: CopyablePathProps) {
  const { said, copy } = useCopy("");
  return (
    <button
      type="button"
      dir="ltr"
      title={`Copy path: ${path}`}
      onClick={() => copy(path)}
      className="inline cursor-copy rounded bg-raised px-1 py-0.5 text-left font-mono text-[0.9em] break-words underline decoration-dotted underline-offset-2 hover:bg-line"
    >
      {children}
      <span aria-live="polite" className="text-good no-underline">
        {said !== "" && ` ${said}`}
      </span>
    </button>
  );
}
