import picocolors from "picocolors";

const { env, stdout } = process;
const asked = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0";

/** Colour is for people: a file or pipe gets none, in CI neither, unless it is asked for. */
export const colors = picocolors.createColors(
  !env.NO_COLOR && (asked || (stdout.isTTY === true && env.TERM !== "dumb")),
);
