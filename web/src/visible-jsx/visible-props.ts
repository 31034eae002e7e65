import { isRecord } from "../../../src/contract/is-record.ts";
import { isPlain, visibleCharacters } from "../../../src/contract/visible-text.ts";

/** Attributes that people read or hear. */
const READ = ["title", "alt", "placeholder", "aria-label", "aria-description"] as const;

/**
 * The text of every element of the page passes here on its way to React, so no page can forget it: a character that cannot be
 * seen is shown by its number. Gaps stay as they are, because a browser closes them up itself; where it does not, `LongText`
 * and `LineDiff` do.
 */
export function visibleProps(type: unknown, props: unknown): unknown {
  if (!isRecord(props)) return props;
  let visible = props;
  const children = visibleChildren(props.children);
  if (children !== props.children) visible = { ...visible, children };
  // What a component does with its own props is its business: a title may be one that is to be edited.
  if (typeof type !== "string") return visible;
  for (const name of READ) {
    const value = props[name];
    if (typeof value !== "string") continue;
    const shown = visibleString(value);
    if (shown !== value) visible = { ...visible, [name]: shown };
  }
  return visible;
}

/** The same list where nothing in it is hidden, as nearly always: this runs for every element that is drawn. */
function visibleChildren(children: unknown): unknown {
  if (typeof children === "string") return visibleString(children);
  if (!Array.isArray(children)) return children;
  let visible: unknown[] | null = null;
  for (const [at, child] of children.entries()) {
    const shown = visibleChildren(child);
    if (shown === child) continue;
    visible ??= [...children];
    visible[at] = shown;
  }
  return visible ?? children;
}

function visibleString(text: string): string {
  return isPlain(text) ? text : visibleCharacters(text.replaceAll("\r\n", "\n"));
}
