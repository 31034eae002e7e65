import { BelayError, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { ImportAccess } from "../import-access.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations that import conversations of other tools as sessions. */
export const importOperations = {
  async imports(
    context: ServiceContext,
    _: Parsed<"imports">,
    caller: Caller,
  ): Promise<Output<"imports">> {
    return { tools: await importsOf(context).places(caller) };
  },

  async import_conversations(
    context: ServiceContext,
    { tool, path, dry_run, since }: Parsed<"import_conversations">,
    caller: Caller,
  ): Promise<Output<"import_conversations">> {
    return importsOf(context).run(context, caller, tool, {
      ...{ path, dry_run },
      since: since === undefined ? null : readInstant(since),
    });
  },
};

function importsOf({ imports }: ServiceContext): ImportAccess {
  if (imports) return imports;
  throw new BelayError(
    refuse(
      "storage_unsupported",
      "This store or program cannot import conversations. Use: belay import",
    ),
  );
}
