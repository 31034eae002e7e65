import { isSystemEvent, isSystemHead } from "../../core/session/known-events.ts";
import { listStreams, readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** The folders of the workspaces that have mirrors, of any owner. */
export async function findMirrors(store: StreamStore): Promise<string[]> {
  const streams = await listStreams(store, { kind: "system", owner: null, filter: {} });
  const found = streams.filter(({ head }) => isSystemHead(head) && head.mirrors.length > 0);
  return Promise.all(found.map(({ id, key }) => folderOf(store, id, key)));
}

/** The key of a workspace is a digest; its first event names the folder. */
async function folderOf(store: StreamStore, id: string, key: string): Promise<string> {
  const [first] = await readEvents(store, id, { after: 0, limit: 1 });
  const isNamed = first && isSystemEvent(first) && first.type === "workspace.initialized";
  return isNamed ? first.data.cwd : key;
}
