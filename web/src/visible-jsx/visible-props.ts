import { isRecord } from "../../../src/contract/is-record.ts";
import { visibleCharacters } from "../../../src/contract/visible-text.ts";

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
  const set = (name: string, value: unknown): void => {
    if (value !== props[name]) visible = { ...visible, [name]: value };
  };
  set("children", visibleChildren(props.children));
  // What a component does with its own props is its business: a title may be one that is to be edited.
  if (typeof type === "string") for (const name of READ) set(name, visibleChild(props[name]));
  return visible;
}

function visibleChildren(children: unknown): unknown {
  if (!Array.isArray(children)) return visibleChild(children);
  const visible = children.map(visibleChildren);
  return visible.every((child, at) => child === children[at]) ? children : visible;
}

function visibleChild(child: unknown): unknown {
  return typeof child === "string" ? visibleCharacters(child.replaceAll("\r\n", "\n")) : child;
}
