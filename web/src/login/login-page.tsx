import { useEffect, useState } from "react";
import { popWanted } from "../api/browser-token.ts";
import { isLoggedIn, logIn } from "../api/send.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { explain } from "../ui/states.tsx";

/** The code is after the #, which browsers never send, and is removed from the address before it is used. */
function popCode(): string {
  if (window.location.pathname !== "/login") return "";
  const code = window.location.hash.slice(1);
  if (code !== "") window.history.replaceState(null, "", "/login");
  return code;
}

/** The code at the time the page was loaded. */
let first: string | null = popCode();

export function LoginPage() {
  const [isBusy, setBusy] = useState(true);
  const [said, say] = useState("This browser is not logged in.");
  useEffect(() => {
    const enter = async (code: string): Promise<void> => {
      setBusy(true);
      const failure = code === "" ? null : await logIn(code).catch(explain);
      // A used link does not log out a person who is logged in.
      if (failure === undefined || (await isLoggedIn())) {
        // Reloaded, so that nothing of the previous person is left.
        window.location.replace(popWanted());
        return;
      }
      if (failure !== null) say(failure);
      setBusy(false);
    };
    const onLink = (): void => {
      const code = popCode();
      if (code !== "") void enter(code);
    };
    window.addEventListener("hashchange", onLink);
    let isHere = true;
    // Deferred, because an effect may run twice and a code works once.
    queueMicrotask(() => {
      if (!isHere) return;
      const code = first ?? popCode();
      first = null;
      void enter(code);
    });
    return () => {
      isHere = false;
      window.removeEventListener("hashchange", onLink);
    };
  }, []);

  return (
    <main className="mx-auto max-w-lg px-6 pt-[18vh]">
      <h1 className="flex items-center gap-3 text-2xl font-semibold">
        <img src="/assets/belay.svg" alt="" className="size-9" /> Belay
      </h1>
      <p role="status" className="mt-4 text-soft">
        {isBusy ? "Logging in …" : said}
      </p>
      {!isBusy && (
        <div className="mt-6 space-y-3">
          <p>Open a login link. Each link works once, for ten minutes. For a new link, run:</p>
          <CopyText text="npx belay login" />
        </div>
      )}
    </main>
  );
}
