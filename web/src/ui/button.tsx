import { Button as BaseButton } from "@base-ui/react/button";
import type { ComponentProps } from "react";

const LOOKS = {
  plain: "border border-line bg-panel text-ink hover:bg-raised",
  primary: "bg-accent text-on-accent hover:brightness-110",
  danger: "border border-bad bg-bad-soft text-bad hover:brightness-95",
  quiet: "text-soft hover:bg-raised hover:text-ink",
} as const;

interface ButtonProps extends ComponentProps<typeof BaseButton> {
  readonly look?: keyof typeof LOOKS;
}

/** Stays focusable while it is disabled, so that a keyboard's focus is not lost during a request. */
export function Button({ look = "plain", className = "", ...rest }: ButtonProps) {
  return (
    <BaseButton focusableWhenDisabled {...rest} className={`${buttonClass(look)} ${className}`} />
  );
}

/** The style of a button, for links. */
export function buttonClass(look: keyof typeof LOOKS): string {
  return `inline-flex min-h-9 items-center justify-center gap-1.5 rounded-md px-3 py-1 text-sm font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50 data-disabled:cursor-not-allowed data-disabled:opacity-50 ${LOOKS[look]}`;
}
