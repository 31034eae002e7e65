import type { ReactNode } from "react";
import { ApiError, Unreachable } from "../api/api-error.ts";
import { Button } from "./button.tsx";

/** Placeholder lines in the shape of the content. */
export function Loading({ what, lines = 6 }: { readonly what: string; readonly lines?: number }) {
  return (
    <div role="status" className="space-y-3 p-4">
      <span className="sr-only">Loading {what} …</span>
      {Array.from({ length: lines }, (_, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={nth} className="h-5 motion-safe:animate-pulse rounded bg-raised" />
      ))}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="mx-auto w-full max-w-xl px-4 py-16 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mt-2 space-y-3 text-soft">{children}</div>
    </div>
  );
}

/** The server's error message, with a retry button. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div role="alert" className="mx-auto w-full max-w-xl px-4 py-12 text-center">
      <h2 className="text-lg font-semibold">{titleOf(error)}</h2>
      <p className="mt-2 text-soft">{error instanceof Unreachable ? START_IT : explain(error)}</p>
      {retry && (
        <Button className="mt-4" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

const START_IT = "Start it with “npx belay serve”. This page reconnects automatically.";

function titleOf(error: unknown): string {
  if (error instanceof Unreachable) return "The server does not answer";
  if (error instanceof ApiError && error.status === 404) return "Not found";
  return "Something went wrong";
}

export function explain(error: unknown): string {
  if (error instanceof Unreachable) return `${error.message} ${START_IT}`;
  return error instanceof Error ? error.message : String(error);
}
