/** A store, a disk or a lock that is broken on purpose: the judge must see it. */
export const CONTROLS = [
  "none",
  "no sync",
  "no sync of the commit",
  "no sync of the log",
  "no sync of folders",
  "no repair",
  "stale index",
  "commits not checked",
  "lock not checked",
] as const;
export type Control = (typeof CONTROLS)[number];

type IsUnsynced = (path: string, isFolder: boolean) => boolean;

export const UNSYNCED: Readonly<Partial<Record<Control, IsUnsynced>>> = {
  "no sync": () => true,
  "no sync of the commit": (path) => path.endsWith("/commits.ndjson"),
  "no sync of the log": (path) => path.endsWith("/log.ndjson"),
  "no sync of folders": (_, isFolder) => isFolder,
};
