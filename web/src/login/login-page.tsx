import { useEffect, useState } from "react";
import { popWanted } from "../api/browser-token.ts";
import { findProvider, finishOpenId, isLoggedIn, logIn, startOpenId } from "../api/send.ts";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { explain } from "../ui/states.tsx";

/** The code is after the #, which browsers never send, and is removed from the address before it is used. */
function popCode(): string {
  if (window.location.pathname !== "/login") return "";
  const code = window.location.hash.slice(1);
  if (code !== "") window.history.replaceState(null, "", "/login");
  return code;
}

/** Removes the answer of a provider from the address and returns it. */
function popAnswer(): string {
  const { pathname, search } = window.location;
  if (pathname !== "/login/callback") return "";
  window.history.replaceState(null, "", "/login");
  return search;
}

/** The code and the answer at the time the page was loaded. */
let first: readonly [code: string, answer: string] | null = [popCode(), popAnswer()];

export function LoginPage() {
  const [isBusy, setBusy] = useState(true);
  const [said, say] = useState("This browser is not logged in.");
  const [provider, setProvider] = useState<string | null>(null);
  useEffect(() => {
    let isHere = true;
    const show = (name: string | null): void => {
      if (isHere) setProvider(name);
    };
    findProvider().then(show, () => show(null));
    return () => {
      isHere = false;
    };
  }, []);
  const goToProvider = async (): Promise<void> => {
    try {
      window.location.assign(await startOpenId());
    } catch (error) {
      say(explain(error));
    }
  };
  useEffect(() => {
    const enter = async (code: string, answer = ""): Promise<void> => {
      setBusy(true);
      const given = answer === "" ? code !== "" && logIn(code) : finishOpenId(answer);
      const failure = given === false ? null : await given.catch(explain);
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
      const [code, answer] = first ?? [popCode(), ""];
      first = null;
      void enter(code, answer);
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
          {provider !== null && (
            <Button look="primary" onClick={() => void goToProvider()}>
              Log in with {provider}
            </Button>
          )}
          <p>
            {provider !== null && "Or: "}Open a login link. Each link works once, for ten minutes.
            For a new link, ask an admin, or run this on the server's machine:
          </p>
          <CopyText text="npx belay login" />
        </div>
      )}
    </main>
  );
}
