import type * as path from "node:path";

/**
 * The parts of node:path that hooks use. Node looks at each character of a path, which takes long in code that runs for
 * the first time; most paths need no change. The hooks' bundle contains this file instead.
 */
const real = (): typeof path => process.getBuiltinModule("node:path");

export const join: typeof path.join = (...names) => {
  const whole = names.join("/");
  return isSimple(whole) && !names.includes("") ? whole : real().join(...names);
};

export const resolve: typeof path.resolve = (...names) => {
  const [name = ""] = names;
  return names.length === 1 && name.startsWith("/") && isSimple(name)
    ? name
    : real().resolve(...names);
};

export const dirname: typeof path.dirname = (name) => {
  const end = name.lastIndexOf("/");
  return end > 0 && isSimple(name) ? name.slice(0, end) : real().dirname(name);
};

export const basename: typeof path.basename = (name, suffix) =>
  suffix === undefined && isSimple(name)
    ? name.slice(name.lastIndexOf("/") + 1)
    : real().basename(name, suffix);

export const isAbsolute: typeof path.isAbsolute = (name) => name.startsWith("/");

export const sep: typeof path.sep = "/";

/** True for a path that is written in the shortest way. */
function isSimple(name: string): boolean {
  return (
    name !== "" &&
    !name.includes("//") &&
    !name.endsWith("/") &&
    (!name.includes(".") || !DOTS.test(name))
  );
}

const DOTS = /(?:^|\/)\.\.?(?:\/|$)/;
