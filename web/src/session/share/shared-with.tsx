import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { SESSION_ROLES, type SessionRole } from "../../../../src/contract/vocabulary.ts";
import { call } from "../../api/call.ts";
import { Button } from "../../ui/button.tsx";
import { describePerson } from "../../ui/describe-person.ts";
import { FIELD } from "../../ui/panel.tsx";
import { explain } from "../../ui/states.tsx";
import { exactTime } from "../../ui/time-ago.tsx";
import { useSession } from "../use-session.ts";
import { LASTS } from "./lasts.ts";

const MAY = {
  viewer: "A viewer reads the session and follows it live",
  approver: "An approver also answers its questions, once each",
  editor:
    "An editor also sends messages and interrupts. Within the agent’s limits this is as powerful as a shell",
} as const satisfies Record<SessionRole, string>;

const EVERYONE = "*";

/** People of this server who see a session, each in a role. */
export function SharedWith({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const shares = useQuery({
    queryKey: ["shares", id],
    queryFn: ({ signal }) => call("shares", { id }, signal),
    staleTime: 0,
  });
  const people = useQuery({
    queryKey: ["people"],
    queryFn: ({ signal }) => call("list_people", {}, signal),
    staleTime: 0,
  });
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => queries.invalidateQueries({ queryKey: ["shares", id] }),
  });
  const session = useSession(id);
  const given = shares.data?.shares ?? [];
  const owner = session.data?.owner;
  const everyone = people.data?.people ?? [];
  const others = everyone.filter(({ name, disabled_at }) => name !== owner && !disabled_at);
  const nameOf = (name: string): string =>
    describePerson(everyone.find((person) => person.name === name) ?? { name, display_name: name });
  if (people.data && others.length === 0) {
    return (
      <section aria-label="People">
        <h3 className="font-medium">People</h3>
        <p className="text-sm text-soft">
          There are no other people on this server. An admin can add people with{" "}
          <code className="font-mono">belay people add NAME</code>.
        </p>
      </section>
    );
  }
  return (
    <section aria-label="People" className="space-y-3">
      <h3 className="font-medium">People</h3>
      <ul className="space-y-1">
        {given.map(({ person, role, until }) => (
          <li key={person ?? EVERYONE} className="flex items-center gap-2 text-sm">
            <span className="min-w-0 flex-1 break-words">
              <span className="font-medium">{person === null ? "Everyone" : nameOf(person)}</span>,{" "}
              {role}
              {until !== null && `, until ${exactTime(until)}`}
            </span>
            <Button
              aria-label={`Stop sharing with ${person ?? "everyone"}`}
              onClick={() =>
                change.mutate(() =>
                  call("unshare", person === null ? { id, everyone: true } : { id, with: person }),
                )
              }
            >
              Stop sharing
            </Button>
          </li>
        ))}
        {shares.data && given.length === 0 && (
          <li className="text-sm text-soft">This session is not shared.</li>
        )}
      </ul>
      <AddPerson
        people={others}
        onAdd={(chosen, role, until) =>
          change.mutate(() =>
            call("share", {
              id,
              role,
              ...(until !== "" && { until }),
              ...(chosen === EVERYONE ? { everyone: true } : { with: chosen }),
            }),
          )
        }
      />
      <div role="alert">
        {change.error && <p className="text-sm text-bad">{explain(change.error)}</p>}
      </div>
    </section>
  );
}

interface Person {
  readonly name: string;
  readonly display_name: string;
}

interface AddPersonProps {
  readonly people: readonly Person[];
  onAdd(chosen: string, role: SessionRole, until: string): void;
}

function AddPerson({ people, onAdd }: AddPersonProps) {
  const id = useId();
  const [chosen, choose] = useState("");
  const [role, setRole] = useState<SessionRole>("viewer");
  const [until, setUntil] = useState("");
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === "") return;
        onAdd(chosen, role, until);
        choose("");
        // The next person must not get more than was chosen for them.
        setRole("viewer");
        setUntil("");
      }}
    >
      <div className="flex flex-wrap items-end gap-2">
        <label htmlFor={`${id}-person`} className="max-w-full text-sm text-soft">
          Share with
          <select
            id={`${id}-person`}
            value={chosen}
            onChange={({ target }) => choose(target.value)}
            className={`${FIELD} mt-1 block max-w-full`}
          >
            <option value="">Choose a person</option>
            <option value={EVERYONE}>Everyone on this server</option>
            {people.map((person) => (
              <option key={person.name} value={person.name}>
                {describePerson(person)}
              </option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}-role`} className="text-sm text-soft">
          Role
          <select
            id={`${id}-role`}
            value={role}
            onChange={({ target }) =>
              setRole(SESSION_ROLES.find((known) => known === target.value) ?? "viewer")
            }
            className={`${FIELD} mt-1 block`}
          >
            {SESSION_ROLES.map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}-until`} className="text-sm text-soft">
          Expires
          <select
            id={`${id}-until`}
            value={until}
            onChange={({ target }) => setUntil(target.value)}
            className={`${FIELD} mt-1 block`}
          >
            <option value="">never</option>
            {LASTS.map(({ span, words }) => (
              <option key={span} value={span}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Button look="primary" type="submit" disabled={chosen === ""}>
          Share
        </Button>
      </div>
      <p className={`text-sm ${role === "editor" ? "text-warn" : "text-faint"}`}>{MAY[role]}.</p>
    </form>
  );
}
