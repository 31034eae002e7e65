import { approvalOperations } from "./approval-operations.ts";
import { audit } from "./audit.ts";
import { branchOperations } from "./branch-operations.ts";
import { cleanup } from "./cleanup.ts";
import { events } from "./events.ts";
import { expirationOperations } from "./expiration-operations.ts";
import { exportSession } from "./export-session.ts";
import { history } from "./history.ts";
import { linkOperations } from "./link-operations.ts";
import { next } from "./next.ts";
import { pastOperations } from "./past-operations.ts";
import { purge } from "./purge.ts";
import { readingOperations } from "./reading-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { shareOperations } from "./share-operations.ts";
import { spans } from "./spans.ts";
import { submitObservation } from "./submit-observation.ts";
import { taskOperations } from "./task-operations.ts";
import { workOperations } from "./work-operations.ts";

/** Operations that only need the store. */
export const serviceOperations = {
  ...sessionOperations,
  ...branchOperations,
  ...readingOperations,
  ...workOperations,
  ...taskOperations,
  ...pastOperations,
  ...approvalOperations,
  ...shareOperations,
  ...linkOperations,
  ...expirationOperations,
  audit,
  cleanup,
  events,
  export: exportSession,
  history,
  next,
  purge,
  spans,
  submit_observation: submitObservation,
};
