/** What an agent is asked for after a crash; Belay's notes before it tell what was cut off. */
export const CONTINUE_MESSAGE = "Continue the work that was interrupted.";
