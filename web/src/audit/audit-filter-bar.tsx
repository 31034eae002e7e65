import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId } from "react";
import { AUDIT_KINDS } from "../../../src/contract/vocabulary.ts";
import { call } from "../api/call.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { FIELD } from "../ui/panel.tsx";
import { type AuditFilters, DAYS } from "./audit-filters.ts";
import { KIND_WORDS } from "./audit-words.ts";

interface Props {
  readonly filters: AuditFilters;
  /** True if the caller may see the entries of everyone. */
  readonly forEveryone: boolean;
}

/** Chooses the kind of entries, the period, the person, the session, and whose entries. */
export function AuditFilterBar({ filters, forEveryone }: Props) {
  const { what, days = filters.session === undefined ? 7 : "all" } = filters;
  const isEveryones = filters.everyone === true;
  const { what: _what, ...anyKind } = filters;
  const { everyone: _everyone, ...own } = filters;
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        {forEveryone && filters.session === undefined && (
          <Choices label="Owner">
            <Choice search={own} isChosen={!isEveryones}>
              Mine
            </Choice>
            <Choice search={{ ...filters, everyone: true }} isChosen={isEveryones}>
              Everyone
            </Choice>
          </Choices>
        )}
        <Choices label="Kind">
          <Choice search={anyKind} isChosen={what === undefined}>
            All
          </Choice>
          {AUDIT_KINDS.map((kind) => (
            <Choice key={kind} search={{ ...filters, what: kind }} isChosen={kind === what}>
              {KIND_WORDS[kind].plural}
            </Choice>
          ))}
        </Choices>
        <Choices label="Time">
          {DAYS.map((each) => (
            <Choice key={each} search={{ ...filters, days: each }} isChosen={each === days}>
              {each === "all" ? "All" : each === 1 ? "24 hours" : `${each} days`}
            </Choice>
          ))}
        </Choices>
      </div>
      <NameFields key={`${filters.person} ${filters.session}`} filters={filters} />
    </div>
  );
}

function Choices({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav aria-label={label} className="flex rounded-md border border-line bg-panel p-0.5">
      {children}
    </nav>
  );
}

interface ChoiceProps {
  readonly search: AuditFilters;
  readonly isChosen: boolean;
  readonly children: string;
}

function Choice({ search, isChosen, children }: ChoiceProps) {
  return (
    <Link
      to="/audit-log"
      search={search}
      aria-current={isChosen ? "true" : undefined}
      className={`inline-flex min-h-9 items-center rounded px-2.5 text-sm ${isChosen ? "bg-raised font-medium text-ink" : "text-soft hover:text-ink"}`}
    >
      {children}
    </Link>
  );
}

/** Names are typed, because disabled people and deleted sessions are in no list. */
function NameFields({ filters }: { readonly filters: AuditFilters }) {
  const ids = useId();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["people"],
    queryFn: ({ signal }) => call("list_people", {}, signal),
  });
  const { person, session, ...rest } = filters;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const read = (field: string): string => String(fields.get(field) ?? "").trim();
    const search = {
      ...rest,
      ...(read("person") !== "" && { person: read("person") }),
      ...(read("session") !== "" && { session: read("session") }),
    };
    void navigate({ to: "/audit-log", search });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <label className="flex items-center gap-2 text-sm text-soft">
        Person
        <input
          name="person"
          defaultValue={person}
          list={`${ids}people`}
          placeholder="anyone"
          autoComplete="off"
          className={`${FIELD} w-36`}
        />
      </label>
      <datalist id={`${ids}people`}>
        {data?.people.map(({ name, display_name }) => (
          <option key={name} value={name}>
            {display_name}
          </option>
        ))}
      </datalist>
      <label className="flex items-center gap-2 text-sm text-soft">
        Session
        <input
          name="session"
          defaultValue={session}
          placeholder="all sessions"
          autoComplete="off"
          className={`${FIELD} w-48`}
        />
      </label>
      <Button type="submit">Filter</Button>
      {(person !== undefined || session !== undefined) && (
        <Link to="/audit-log" search={rest} className={buttonClass("quiet")}>
          Clear
        </Link>
      )}
    </form>
  );
}
