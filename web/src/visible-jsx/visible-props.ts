import { isRecord } from "../../../src/contract/is-record.ts";
import { isPlain, visibleCharacters } from "../../../src/contract/visible-text.ts";

/** Attributes that people read or hear. */
const READ = ["title", "alt", "placeholder", "aria-label", "aria-description"] as const;

/**
 * The text of every element passes here on its way to React, so no page can forget it: an invisible character is shown
 * by its number. Gaps stay, because a browser collapses them; where it does not, `LongText` and `LineDiff` do.
 */
export function visibleProps(type: unknown, props: unknown): unknown {
  if (!isRecord(props)) return props;
  let visible = props;
  const children = visibleChildren(props.children);
  if (children !== props.children) visible = { ...visible, children };
  // Components handle their own props: a title may be one that is being edited.
  if (typeof type !== "string") return visible;
  for (const name of READ) {
    const value = props[name];
    if (typeof value !== "string") continue;
    const shown = visibleString(value);
    if (shown !== value) visible = { ...visible, [name]: shown };
  }
  return visible;
}

/** Returns the same list if nothing in it is hidden, which is nearly always: this runs for every rendered element. */
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
