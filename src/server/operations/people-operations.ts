import { BelayError, refuse } from "../../contract/errors.ts";
import type { PersonState } from "../../contract/head.ts";
import { type Person, PersonName } from "../../contract/operations/people-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { iso } from "../../core/view/view-session.ts";
import { expectServerAdmin, isServerAdmin } from "../../service/access/server-admin.ts";
import { everyPerson, findPerson } from "../../service/read/find-person.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";

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
    // Owners without a person on record, and agents, see nobody.
    const isPerson = caller.role !== undefined && caller.scope !== "record";
    if (!isServerAdmin(caller) && !isPerson) return { people: [] };
    const people = await everyPerson(store);
    if (isServerAdmin(caller)) return { people: people.map(view) };
    const others = people.filter(({ disabled_at }) => disabled_at === null);
    return { people: others.map(viewName) };
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
  const actor = caller.scope === undefined ? caller.actor : `person:${caller.owner}`;
  const by = { ...caller, owner: fact.data.person, actor };
  await recordSystemFact(context, by, fact, context.newId());
}

async function add(
  context: ServiceContext,
  caller: Caller,
  input: Parsed<"add_person">,
): Promise<PersonState> {
  const { name } = input;
  const known = await findPerson(context.store, name);
  const data = {
    person: name,
    display_name: input.display_name ?? known?.display_name ?? name,
    role: input.role ?? known?.role ?? "member",
    identities: input.identities ?? known?.identities.slice() ?? [],
  };
  await recordOfPerson(context, caller, { type: "person.added", data });
  return expectPerson(context, name);
}

/** An external account logs exactly one person in. */
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
