import { spawnSync } from "node:child_process";

/** Runs a command like a container: in a pid namespace of its own, which ends with it. */
export const OTHER_NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

const [unshare = "", ...flags] = OTHER_NAMESPACE;

/** Creating a pid namespace needs rights that not everyone has. */
export const mayUnshare = spawnSync(unshare, [...flags, "true"]).status === 0;
