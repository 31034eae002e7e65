import { approvalOperations } from "./approvals.ts";
import { cleanup } from "./cleanup.ts";
import { events } from "./feed.ts";
import { history } from "./history.ts";
import { next } from "./next.ts";
import { submitObservation } from "./observations.ts";
import { pastOperations } from "./past.ts";
import { readingOperations } from "./reading.ts";
import { sessionOperations } from "./sessions.ts";
import { spans } from "./spans.ts";
import { taskOperations } from "./tasks.ts";
import { workOperations } from "./work.ts";

/** Operations that need the store alone. */
export const serviceOperations = {
  ...sessionOperations,
  ...readingOperations,
  ...workOperations,
  ...taskOperations,
  ...pastOperations,
  ...approvalOperations,
  cleanup,
  events,
  history,
  next,
  spans,
  submit_observation: submitObservation,
};
