import { CommitLog } from "../../src/store/files/disk/commit-log.ts";
import { StreamIndex } from "../../src/store/files/read/stream-index.ts";
import type { Control } from "./controls.ts";

const { finish, cut, isThere } = CommitLog.prototype;
const { catchUp } = StreamIndex.prototype;

function catchUpOnce(this: StreamIndex): void {
  if (this.end === 0) catchUp.call(this);
}

/** Breaks the store of the next process in this thread, or mends it again. */
export function breakStore(control: Control): void {
  const [isUnrepaired, isStale] = [control === "no repair", control === "stale index"];
  CommitLog.prototype.finish = isUnrepaired || isStale ? () => false : finish;
  CommitLog.prototype.cut = isUnrepaired ? () => {} : cut;
  CommitLog.prototype.isThere = control === "commits not checked" ? () => true : isThere;
  StreamIndex.prototype.catchUp = isStale ? catchUpOnce : catchUp;
}
