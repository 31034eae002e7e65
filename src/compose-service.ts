import { agentOperations } from "./drive/operations/agent-operations.ts";
import { recoveryOperations } from "./drive/operations/recovery-operations.ts";
import { peopleOperations } from "./server/operations/people-operations.ts";
import { tokenOperations } from "./server/operations/token-operations.ts";
import { webhookOperations } from "./server/operations/webhook-operations.ts";
import type { ServerContext } from "./server/webhooks/server-context.ts";
import type { BelayService, Handlers } from "./service/belay-service.ts";
import { bindHandlers } from "./service/belay-service.ts";
import { importOperations } from "./service/operations/import-operations.ts";
import { serviceOperations } from "./service/operations/service-operations.ts";

const handlers: Handlers<ServerContext> = {
  ...serviceOperations,
  ...agentOperations,
  ...recoveryOperations,
  ...peopleOperations,
  ...tokenOperations,
  ...webhookOperations,
  ...importOperations,
};

/** The whole table of operations, with the handlers of every room. */
export function createService(context: ServerContext): BelayService {
  return bindHandlers(context, handlers);
}
