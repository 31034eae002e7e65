import type { z } from "zod";
import { agentOperations } from "./operations/agent-operations.ts";
import { branchOperations } from "./operations/branch-operations.ts";
import { importOperations } from "./operations/import-operations.ts";
import type { Operations } from "./operations/operation.ts";
import { pastOperations } from "./operations/past-operations.ts";
import { peopleOperations } from "./operations/people-operations.ts";
import { recoveryOperations } from "./operations/recovery-operations.ts";
import { sessionOperations } from "./operations/session-operations.ts";
import { shareOperations } from "./operations/share-operations.ts";
import { taskOperations } from "./operations/task-operations.ts";
import { tokenOperations } from "./operations/token-operations.ts";
import { webhookOperations } from "./operations/webhook-operations.ts";
import { workOperations } from "./operations/work-operations.ts";

/** Every operation of the service. The interfaces derive their forms from this table. */
export const OPERATIONS = {
  ...sessionOperations,
  ...branchOperations,
  ...workOperations,
  ...agentOperations,
  ...recoveryOperations,
  ...pastOperations,
  ...taskOperations,
  ...shareOperations,
  ...peopleOperations,
  ...tokenOperations,
  ...webhookOperations,
  ...importOperations,
} as const satisfies Operations;

export type OperationName = keyof typeof OPERATIONS;
export type Input<K extends OperationName> = z.input<(typeof OPERATIONS)[K]["input"]>;
export type Parsed<K extends OperationName> = z.output<(typeof OPERATIONS)[K]["input"]>;
export type Output<K extends OperationName> = z.output<(typeof OPERATIONS)[K]["output"]>;
