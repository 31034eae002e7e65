import { BelayError, refuse } from "../../contract/errors.ts";
import type { PersonState } from "../../contract/head.ts";
import { type Person, PersonName } from "../../contract/operations/people-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import { expectServerAdmin, isServerAdmin } from "../../service/access/server-admin.ts";
import { visiblePeople } from "../../service/access/visible-people.ts";
import { everyPerson, findPerson } from "../../service/read/find-person.ts";
import {
  appendFact,
  identitiesStream,
  personStream,
  recordSystemFact,
} from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";

/** Operations on the people of this server. */
export const peopleOperations = {
  async add_person(
    context: ServiceContext,
    input: Parsed<"add_person">,
    caller: Caller,
  ): Promise<Output<"add_person">> {
    expectServerAdmin(caller);
    await expectFreeIdentities(context, input);
    // The user of the data folder who adds the first person becomes an admin on record.
    if (caller.owner !== input.name && !(await findPerson(context.store, caller.owner))) {
      expectPersonName(caller.owner);
      await add(context, caller, { name: caller.owner, role: "admin" });
    }
    return view(await add(context, caller, input));
  },

  async list_people(
    { store }: ServiceContext,
    _: Parsed<"list_people">,
    caller: Caller,
  ): Promise<Output<"list_people">> {
    const people = await visiblePeople(store, caller);
    return { people: people.map(isServerAdmin(caller) ? view : viewName) };
  },

  async disable_person(
    context: ServiceContext,
    { name }: Parsed<"disable_person">,
    caller: Caller,
  ): Promise<Output<"disable_person">> {
    expectServerAdmin(caller);
    const person = await expectPerson(context, name);
    if (name === caller.owner) {
      throw new BelayError(refuse("invalid_input", "You cannot disable yourself.", { name }));
    }
    if (person.disabled_at !== null) return view(person);
    await recordOfPerson(context, caller, { type: "person.disabled", data: { person: name } });
    return view(await expectPerson(context, name));
  },

  async whoami(
    { store }: ServiceContext,
    _: Parsed<"whoami">,
    { owner, actor, scope, role }: Caller,
  ): Promise<Output<"whoami">> {
    // The gate names the token as the actor, so this also works for a recorder, whose store contains no tokens.
    const token = scope === undefined ? null : { name: actor.replace(/^token:/, ""), scope };
    if (scope === "record") return { owner, display_name: null, role: null, token };
    const person = await findPerson(store, owner);
    const display_name = person?.display_name ?? null;
    return { owner, display_name, role: role ?? person?.role ?? null, token };
  },
};

/** Throws if the person does not exist. */
export async function expectPerson({ store }: ServiceContext, name: string): Promise<PersonState> {
  const person = await findPerson(store, name);
  if (person) return person;
  const message = `Person not found: ${name}.`;
  throw new BelayError(refuse("person_not_found", message, { name }));
}

/** The user of the data folder may have any name until there are people, who write it as OWNER/ID. */
function expectPersonName(owner: string): void {
  const [issue] = PersonName.safeParse(owner).error?.issues ?? [];
  if (!issue) return;
  const message = `The name of a person ${issue.message}. Your own name is ${JSON.stringify(owner)}: set BELAY_OWNER to another name first.`;
  throw new BelayError(refuse("invalid_input", message, { name: owner }));
}

/** Appends to the person's own stream; the actor is the caller. */
export async function recordOfPerson(
  context: ServiceContext,
  caller: Caller,
  fact: Parameters<typeof recordSystemFact>[2] & { readonly data: { readonly person: string } },
): Promise<void> {
  await recordSystemFact(context, asPerson(caller, fact.data.person), fact, context.newId());
}

function asPerson(caller: Caller, owner: string): Caller {
  const actor = caller.scope === undefined ? caller.actor : `person:${caller.owner}`;
  return { ...caller, owner, actor };
}

/** An external account logs exactly one person in. Retries if another assignment came between the check and the change. */
async function add(
  context: ServiceContext,
  caller: Caller,
  input: Parsed<"add_person">,
): Promise<PersonState> {
  const { name, identities = [] } = input;
  for (;;) {
    const seen = (await loadStream(context.store, identitiesStream()))?.seq ?? 0;
    await expectFreeIdentities(context, input);
    const outcome = await context.store.transact({
      streams: [personStream(name), identitiesStream()],
      decide: ({ streams: [stream, assigned] }) => {
        const known = isSystemHead(stream?.head) ? stream.head.person : undefined;
        const data = {
          person: name,
          display_name: input.display_name ?? known?.display_name ?? name,
          role: input.role ?? known?.role ?? "member",
          identities: input.identities ?? known?.identities.slice() ?? [],
        };
        const place = { ref: personStream(name), stream };
        const by = asPerson(caller, name);
        const added = appendFact(context, by, place, { type: "person.added", data });
        if (identities.length === 0) return { appends: [added] };
        if ((assigned?.seq ?? 0) !== seen) return { refused: OUTDATED };
        const fact = { type: "identities.assigned", data: { person: name, identities } } as const;
        const all = { ref: identitiesStream(), stream: assigned };
        const assigner = { ...by, actor: `person:${caller.owner}` };
        return { appends: [added, appendFact(context, assigner, all, fact)] };
      },
    });
    if (outcome.kind !== "refused") return expectPerson(context, name);
    if (outcome.refusal.error !== OUTDATED.error) throw new BelayError(outcome.refusal);
  }
}

const OUTDATED = refuse("version_conflict", "An account was assigned in the meantime. Try again.");

async function expectFreeIdentities(
  { store }: ServiceContext,
  { name, identities = [] }: Parsed<"add_person">,
): Promise<void> {
  if (identities.length === 0) return;
  const others = (await everyPerson(store)).filter((person) => person.name !== name);
  const taken = identities.find((one) => others.some((person) => person.identities.includes(one)));
  if (taken === undefined) return;
  const message = `This identity belongs to another person: ${taken}`;
  throw new BelayError(refuse("not_allowed", message, { identity: taken }));
}

function view(person: PersonState): Person {
  const { name, display_name, role, identities, created_at, disabled_at } = person;
  return {
    name,
    display_name,
    role,
    identities: [...identities],
    created_at: iso(created_at),
    disabled_at: disabled_at === null ? null : iso(disabled_at),
  };
}

function viewName({ name, display_name }: PersonState): Person {
  const hidden = { role: null, identities: [], created_at: null, disabled_at: null };
  return { name, display_name, ...hidden };
}
