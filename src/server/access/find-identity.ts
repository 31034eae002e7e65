import { BelayError, refuse } from "../../contract/errors.ts";
import { writeListWord } from "../../contract/field-type.ts";
import { refuseToken } from "../../core/people.ts";
import { everyPerson } from "../../service/read/find-person.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** Finds the person to whom an admin has given this account. Throws if there is none. */
export async function findIdentity(store: StreamStore, identity: string): Promise<string> {
  const person = (await everyPerson(store)).find(({ identities }) => identities.includes(identity));
  if (!person) {
    // The provider chose this text, and an admin copies the command into a shell.
    const quoted = `'${writeListWord(identity).replaceAll("'", "'\\''")}'`;
    const message = `No person on this server has this account. Ask an admin to run: belay people add NAME --identity ${quoted}`;
    throw new BelayError(refuse("not_allowed", message, { identity }));
  }
  const refused = refuseToken("write", person);
  if (!refused) return person.name;
  throw new BelayError(refuse("not_allowed", `${person.name} is disabled on this server.`));
}
