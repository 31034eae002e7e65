import { Link } from "@tanstack/react-router";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { LIMITS } from "../../../src/contract/limits.ts";
import type { Session } from "../../../src/contract/session.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { FIELD } from "../ui/panel.tsx";
import { type FilterChange, type Filters, STATUS_FILTERS } from "./filters.ts";
import { folderOf, taskOf } from "./session-words.ts";

const TYPED_MS = 200;

interface FilterBarProps {
  readonly filters: Filters;
  readonly rows: readonly Session[];
  readonly agents: readonly string[];
  /** How often the filters were cleared. Each time, words that are still being typed are dropped. */
  readonly clearings: number;
  /** `isTyping` is set if going back should not step through every letter. */
  onChange(change: FilterChange, isTyping: boolean): void;
  onClear(): void;
}

export function FilterBar(props: FilterBarProps) {
  const { filters, rows, agents, clearings, onChange, onClear } = props;
  const choose = (name: "status" | "agent" | "project" | "task") => (value: string) =>
    onChange((now) => ({ ...without(now, name), ...(value !== "" && { [name]: value }) }), false);
  const known = useMemo(() => meet(rows), [rows]);
  const projects = seen([...known.projects, filters.project]);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const chosen = Object.keys(without(filters, "q")).length;
  const tasks = seen([...known.tasks, filters.task]);
  return (
    <search className="flex flex-wrap items-center gap-2 px-4 pb-3">
      <SearchField key={clearings} filters={filters} onChange={onChange} />
      <Button
        className="md:hidden"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{chosen > 0 && ` (${chosen})`}
      </Button>
      <div
        id={id}
        className={`flex flex-wrap items-center gap-2 max-md:w-full ${isOpen ? "" : "max-md:hidden"}`}
      >
        <Choice
          label="Status"
          value={filters.status ?? ""}
          unset="current"
          options={STATUS_FILTERS.map((status) => [status, status])}
          onChoose={choose("status")}
        />
        <Choice
          label="Agent"
          value={filters.agent ?? ""}
          options={seen([...agents, ...known.agents, filters.agent]).map((agent) => [agent, agent])}
          onChoose={choose("agent")}
        />
        <Choice
          label="Project"
          value={filters.project ?? ""}
          options={projects.map((cwd) => [cwd, projectName(cwd, projects)])}
          onChoose={choose("project")}
        />
        <Choice
          label="Task"
          value={filters.task ?? ""}
          options={tasks.map((task) => [task, task])}
          onChoose={choose("task")}
        />
        <label className="flex min-h-9 items-center gap-1.5 px-1 text-sm whitespace-nowrap text-soft">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={filters.archived ?? false}
            onChange={({ target }) =>
              onChange(
                (now) => ({
                  ...without(now, "archived"),
                  ...(target.checked && { archived: true }),
                }),
                false,
              )
            }
          />
          Show archived
        </label>
        <Link to="/trash" className={buttonClass("quiet")}>
          Trash
        </Link>
        {Object.keys(filters).length > 0 && (
          <Button look="quiet" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </div>
    </search>
  );
}

function SearchField({ filters, onChange }: Pick<FilterBarProps, "filters" | "onChange">) {
  const [text, setText] = useState(filters.q ?? "");
  const field = useRef<HTMLInputElement>(null);
  const typed = useRef<ReturnType<typeof setTimeout>>(undefined);
  useShortcut("/", "Search sessions", () => field.current?.select());
  // The address changed by going back or by clearing the filters; text being typed comes first.
  useEffect(() => {
    const q = filters.q ?? "";
    if (typed.current === undefined) setText((shown) => (shown.trim() === q ? shown : q));
  }, [filters.q]);
  const search = (value: string): void => {
    setText(value);
    clearTimeout(typed.current);
    typed.current = setTimeout(() => {
      typed.current = undefined;
      const q = value.trim();
      onChange((now) => ({ ...without(now, "q"), ...(q !== "" && { q }) }), true);
    }, TYPED_MS);
  };
  useEffect(() => () => clearTimeout(typed.current), []);
  return (
    <input
      ref={field}
      type="search"
      aria-label="Search sessions"
      placeholder="Search sessions"
      value={text}
      maxLength={LIMITS.SEARCH}
      onChange={({ target }) => search(target.value)}
      onKeyDown={({ key, currentTarget }) => key === "Escape" && currentTarget.blur()}
      className={`${FIELD} w-60 max-md:min-w-0 max-md:flex-1`}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  /** The label if nothing is chosen. */
  readonly unset?: string;
  onChoose(value: string): void;
}

/** The browser's own select: it works everywhere, with keys and touch. */
function Choice({ label, value, options, unset = "any", onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <span className="min-w-0 max-md:w-[calc(50%-0.25rem)]">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChoose(target.value)}
        className={`${FIELD} max-w-40 truncate max-md:w-full max-md:max-w-none ${value === "" ? "text-soft" : "!border-accent font-medium"}`}
      >
        <option value="">
          {label}: {unset}
        </option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

function without<K extends keyof Filters>(filters: Filters, name: K): Omit<Filters, K> {
  const { [name]: _, ...rest } = filters;
  return rest;
}

/** All values seen in any list, so that one can switch from one choice to another. */
const met = {
  agents: new Set<string>(),
  projects: new Set<string | null>(),
  tasks: new Set<string | null>(),
};

function meet(rows: readonly Session[]) {
  for (const session of rows) {
    met.agents.add(session.agent_name);
    met.projects.add(session.project?.cwd ?? null);
    met.tasks.add(taskOf(session));
  }
  return met;
}

function seen(values: readonly (string | null | undefined)[]): string[] {
  return [...new Set(values.flatMap((value) => value ?? []))].sort((a, b) => a.localeCompare(b));
}

/** Named after its folder, unless another has the same name. */
function projectName(cwd: string, all: readonly string[]): string {
  const name = folderOf(cwd);
  return all.filter((other) => folderOf(other) === name).length > 1 ? cwd : name;
}
