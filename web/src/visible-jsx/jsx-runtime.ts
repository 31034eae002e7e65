import type { ElementType, Key } from "react";
import * as runtime from "react/jsx-runtime";
import { visibleProps } from "./visible-props.ts";

export type { JSX } from "react";
export { Fragment } from "react/jsx-runtime";

export function jsx(type: ElementType, props: unknown, key?: Key) {
  return runtime.jsx(type, visibleProps(type, props), key);
}

export function jsxs(type: ElementType, props: unknown, key?: Key) {
  return runtime.jsxs(type, visibleProps(type, props), key);
}
