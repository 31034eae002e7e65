import { BelayError } from "../../contract/errors.ts";
import { refuseToken } from "../../core/people.ts";
import { expectServerAdmin } from "../../service/access/server-admin.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { expectPerson, recordOfPerson } from "../operations/people-operations.ts";

/** The person of a login link: the caller or, if an admin asks, another person. Inviting another person is recorded. */
export async function invitePerson(
  context: ServiceContext,
  caller: Caller,
  name = caller.owner,
): Promise<string> {
  if (name === caller.owner) return name;
  expectServerAdmin(caller);
  const refused = refuseToken("write", await expectPerson(context, name));
  if (refused) throw new BelayError(refused);
  await recordOfPerson(context, caller, { type: "person.invited", data: { person: name } });
  return name;
}
