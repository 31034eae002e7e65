import { BelayError, refuse } from "../../contract/errors.ts";
import type { DriveContext } from "../../drive/recovery/drive-context.ts";
import type { Resolve } from "./find-addresses.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** The dependencies of the rooms below, and those of webhooks; without them there are none. */
export interface ServerContext extends DriveContext {
  readonly webhooks?: WebhookSurroundings;
}

/** The dependencies of webhooks besides the store. */
interface WebhookSurroundings {
  readonly secrets: WebhookSecrets;
  readonly resolve: Resolve;
}

export function webhooksOf({ webhooks }: ServerContext): WebhookSurroundings {
  if (webhooks) return webhooks;
  const message = "Webhooks need a data folder for their secrets. Set BELAY_HOME.";
  throw new BelayError(refuse("storage_unsupported", message));
}
