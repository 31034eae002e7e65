import type { Output, Parsed } from "../../contract/operations.ts";
import { expectServerAdmin } from "../access/server-admin.ts";
import { expectOne } from "../expect-one.ts";
import { readExpiration, setExpiration } from "../retention/expiration.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations that set when sessions expire. */
export const expirationOperations = {
  expiration,

  async set_expiration(
    context: ServiceContext,
    { after_days, never, everyone }: Parsed<"set_expiration">,
    caller: Caller,
  ): Promise<Output<"set_expiration">> {
    expectOne("after_days", after_days, never);
    // The setting also deletes sessions of other owners.
    if (everyone) expectServerAdmin(caller);
    await setExpiration(context, caller, after_days ?? null, everyone);
    return expiration(context, {}, caller);
  },
};

async function expiration(
  { store }: ServiceContext,
  _: Parsed<"expiration">,
  { owner }: Caller,
): Promise<Output<"expiration">> {
  const { own, everyone } = await readExpiration(store, owner);
  return { own_days: own, everyone_days: everyone };
}
