import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";
import { Empty, Failed } from "../ui/states.tsx";

export function NoSuchPage() {
  return (
    <Empty title="Page not found">
      <Link to="/" className={buttonClass("plain")}>
        All sessions
      </Link>
    </Empty>
  );
}

export function BrokenPage({ error, reset }: ErrorComponentProps) {
  return <Failed error={error} retry={reset} />;
}
