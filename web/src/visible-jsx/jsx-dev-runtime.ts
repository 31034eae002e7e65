import type { ElementType, Key } from "react";
import * as runtime from "react/jsx-dev-runtime";
import { visibleProps } from "./visible-props.ts";

export { Fragment } from "react/jsx-dev-runtime";

/** `vite dev` calls this one instead of `jsx` and `jsxs`. */
export function jsxDEV(
  type: ElementType,
  props: unknown,
  key: Key | undefined,
  isStatic: boolean,
  source?: runtime.JSXSource,
  self?: unknown,
) {
  return runtime.jsxDEV(type, visibleProps(type, props), key, isStatic, source, self);
}
