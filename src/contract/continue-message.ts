/**
 * The prompt that continues the work after a crash. Belay puts notes about the interruption before
 * it.
 */
export const CONTINUE_MESSAGE = "Continue the work that was interrupted.";
