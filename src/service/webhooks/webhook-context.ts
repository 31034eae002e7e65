import { BelayError, refuse } from "../../contract/errors.ts";
import type { ServiceContext } from "../context.ts";
import type { Resolve } from "./find-addresses.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** What webhooks need besides the store. */
export interface WebhookSurroundings {
  readonly secrets: WebhookSecrets;
  readonly resolve: Resolve;
}

export function webhooksOf({ webhooks }: ServiceContext): WebhookSurroundings {
  if (webhooks) return webhooks;
  const message = "webhooks need a data folder, where their secrets are kept";
  throw new BelayError(refuse("storage_unsupported", message));
}
