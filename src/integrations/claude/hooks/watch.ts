/** The parts of hooks that `pre-delegate` does not load, because it is called most often. */
export { performPlan } from "./perform-plan.ts";
export { runSelfTest } from "./run-self-test.ts";
