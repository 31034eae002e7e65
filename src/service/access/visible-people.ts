import type { PersonState } from "../../contract/head.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { everyPerson } from "../read/find-person.ts";
import type { Caller } from "../service-context.ts";
import { isServerAdmin } from "./server-admin.ts";

/**
 * The people that a caller may know of. Admins see everyone, and people see all who are enabled. Agents and owners without a
 * person on record see nobody.
 */
export async function visiblePeople(store: StreamStore, caller: Caller): Promise<PersonState[]> {
  if (isServerAdmin(caller)) return everyPerson(store);
  if (caller.role === undefined || caller.scope === "record") return [];
  return (await everyPerson(store)).filter(({ disabled_at }) => disabled_at === null);
}
