import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../ui/button.tsx";

/** Asks whose past is wanted. */
export function FindPast({ of }: { readonly of: string }) {
  const id = useId();
  const [text, setText] = useState(of);
  const navigate = useNavigate();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    void navigate({ to: "/past", search: wanted === "" ? {} : { of: wanted } });
  };
  return (
    <search className="mt-3 block max-w-xl">
      <form onSubmit={submit}>
        <label htmlFor={id} className="text-sm text-soft">
          Id of a session, task or entity
        </label>
        <div className="mt-1 flex gap-2">
          <input
            id={id}
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            autoComplete="off"
            placeholder="cust_7"
            className="min-h-9 min-w-0 flex-1 rounded-md border border-line bg-panel px-3 font-mono text-sm placeholder:text-faint"
          />
          <Button type="submit">Show</Button>
        </div>
      </form>
    </search>
  );
}
