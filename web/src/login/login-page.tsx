import { useEffect, useState } from "react";
import { logIn } from "../api/send.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { explain } from "../ui/states.tsx";

/** The code stands behind the #, which no browser sends anywhere, and is gone from the address before it is used. */
const code = window.location.pathname === "/login" ? window.location.hash.slice(1) : "";
if (code !== "") window.history.replaceState(null, "", "/login");
let used = false;

export function LoginPage() {
  const [said, say] = useState<string | null>(null);
  useEffect(() => {
    // An effect may run twice, a code works once.
    if (code === "" || used) return;
    used = true;
    logIn(code).then(
      // Anew, so that nothing is left of whoever was here before.
      () => window.location.replace("/"),
      (error: unknown) => say(explain(error)),
    );
  }, []);
  const isLoggingIn = code !== "" && said === null;

  return (
    <main className="mx-auto max-w-lg px-6 pt-[18vh]">
      <h1 className="flex items-center gap-3 text-2xl font-semibold">
        <img src="/assets/belay.svg" alt="" className="size-9" /> Belay
      </h1>
      <p role="status" className="mt-4 text-soft">
        {isLoggingIn ? "Logging in …" : (said ?? "This browser is not logged in.")}
      </p>
      {!isLoggingIn && (
        <div className="mt-6 space-y-3">
          <p>Open a login link. Each link works once, for ten minutes. For a new link, run:</p>
          <CopyText text="npx belay login" />
        </div>
      )}
    </main>
  );
}
