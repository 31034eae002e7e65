import picocolors from "picocolors";

const { env, stdout } = process;
const asked = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0";

/** Colours are for people: a file, a pipe or CI gets none unless it asks for them. */
export const colors = picocolors.createColors(
  !env.NO_COLOR && (asked || (stdout.isTTY === true && env.TERM !== "dumb")),
);
