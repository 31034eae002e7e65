import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useId, useState } from "react";
import { ask } from "../api/ask.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Button } from "../ui/button.tsx";
import { FIELD } from "../ui/panel.tsx";
import { explain } from "../ui/states.tsx";

/** Lets a program without a browser in, such as a command line elsewhere. */
export function DevicePage() {
  const { code: given = "" } = useSearch({ from: "/frame/device" });
  const [code, setCode] = useState(given);
  const id = useId();
  usePageTitle("Log in a program");
  const approve = useMutation({
    mutationFn: async (): Promise<boolean> =>
      (await ask("POST", "/login/device/approve", { body: { user_code: code.trim() } })).approved,
  });
  return (
    <form
      className="mx-auto max-w-lg space-y-4 px-6 pt-[12vh]"
      onSubmit={(event) => {
        event.preventDefault();
        approve.mutate();
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
          placeholder="ABCD-EFGH"
          onChange={({ target }) => setCode(target.value)}
          className={`${FIELD} mt-1 block w-full font-mono`}
        />
      </label>
      <Button look="primary" type="submit" disabled={approve.isPending || code.trim() === ""}>
        Approve login
      </Button>
      <p role="status" className={approve.data ? "text-good" : "text-bad"}>
        {approve.data === true && "The program is logged in. You can close this page."}
        {approve.data === false &&
          "This code is unknown or has expired. Run the command again to get a new code."}
        {approve.error && explain(approve.error)}
      </p>
    </form>
  );
}
