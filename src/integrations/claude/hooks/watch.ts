/** All that hooks need besides answering `pre-delegate`, which is asked most often and loads none of it. */
export { performPlan } from "./perform-plan.ts";
export { planHook, planWithin } from "./plan-hook.ts";
export { runSelfTest } from "./run-self-test.ts";
