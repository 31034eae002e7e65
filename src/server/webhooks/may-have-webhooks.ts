import { findPerson } from "../../service/read/find-person.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/**
 * Only admins add and remove webhooks, which may lead to private addresses. So those of a person who is disabled or no
 * longer an admin rest. An owner without a person on record is the user of the data folder.
 */
export async function mayHaveWebhooks(store: StreamStore, owner: string): Promise<boolean> {
  const person = await findPerson(store, owner);
  return person === null || (person.disabled_at === null && person.role === "admin");
}
