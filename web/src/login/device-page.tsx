import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useId, useState } from "react";
import { ask } from "../api/ask.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Button } from "../ui/button.tsx";
import { FIELD } from "../ui/panel.tsx";
import { explain } from "../ui/states.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";

/** The answer of POST /login/device/find. */
interface WaitingProgram {
  readonly owner: string;
  readonly program: {
    readonly name: string | null;
    readonly address: string;
    readonly started_at: string;
  } | null;
}

/** Lets a program without a browser in, such as a command line elsewhere. It shows who asks before anyone can approve. */
export function DevicePage() {
  const { code: given = "" } = useSearch({ from: "/frame/device" });
  const [code, setCode] = useState(given);
  const id = useId();
  usePageTitle("Log in a program");
  const body = { user_code: toCode(code) };
  const find = useMutation({
    mutationFn: (): Promise<WaitingProgram> => ask("POST", "/login/device/find", { body }),
  });
  const approve = useMutation({
    mutationFn: async (): Promise<boolean> =>
      (await ask("POST", "/login/device/approve", { body })).approved,
  });
  const program = find.data?.program;
  const isUnknown = program === null || approve.data === false;
  const failure = find.error ?? approve.error;
  return (
    <form
      className="mx-auto max-w-lg space-y-4 px-6 pt-[12vh]"
      onSubmit={(event) => {
        event.preventDefault();
        if (program) approve.mutate();
        else find.mutate();
      }}
    >
      <h1 className="text-2xl font-semibold">Log in a program</h1>
      <p>
        A program asks to act as you on this server. Continue only if you started it yourself, and
        if it shows this code.
      </p>
      <label htmlFor={id} className="block text-sm text-soft">
        Code
        <input
          id={id}
          value={code}
          autoComplete="off"
          spellCheck={false}
          placeholder="BCDF-GHJK"
          onChange={({ target }) => {
            // The approval is for the program that was shown, so another code is looked up again.
            find.reset();
            approve.reset();
            setCode(target.value);
          }}
          className={`${FIELD} mt-1 block w-full font-mono`}
        />
      </label>
      {program && approve.data !== true && (
        <section className="space-y-2" aria-label="The program that asks">
          <p>
            <strong>{program.name ?? "A program without a name"}</strong> at the address{" "}
            <strong>{program.address}</strong> asked <TimeAgo at={program.started_at} />. The
            program chose its name itself.
          </p>
          <p>
            If you approve, it can do everything that you, {find.data?.owner}, can do with your
            sessions: read them, send messages to agents, and approve their tool calls. If somebody
            sent you this link or code, do not approve it.
          </p>
        </section>
      )}
      {approve.data !== true && (
        <Button
          look="primary"
          type="submit"
          disabled={find.isPending || approve.isPending || code.trim() === ""}
        >
          {program ? "Approve login" : "Continue"}
        </Button>
      )}
      <p role="status" className={approve.data ? "text-good" : "text-bad"}>
        {approve.data === true && "The program is logged in. You can close this page."}
        {isUnknown &&
          "This code is unknown or has expired. Run the command again to get a new code."}
        {failure && explain(failure)}
      </p>
    </form>
  );
}

/** A code as the program shows it. People also type it without the dash, or with a space. */
function toCode(typed: string): string {
  const letters = typed.replace(/[\s-]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
