import type { PersonState } from "../../contract/head.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { everyPerson } from "../read/find-person.ts";
import type { Caller } from "../service-context.ts";
import { isServerAdmin } from "./server-admin.ts";

/** The people that a caller may know of: admins everyone, people those who are enabled, owners without a person on record and agents nobody. */
export async function visiblePeople(store: StreamStore, caller: Caller): Promise<PersonState[]> {
  if (isServerAdmin(caller)) return everyPerson(store);
  if (caller.role === undefined || caller.scope === "record") return [];
  return (await everyPerson(store)).filter(({ disabled_at }) => disabled_at === null);
}
