import { createHash } from "node:crypto";
import { homedir, hostname } from "node:os";
import { identifyHolder } from "../../process/process-identity.ts";
import { readMachine } from "../../process/read-proc.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import type { Membership, NodeListener, NodeRegistry } from "../../store/node-registry.ts";
import { SERVERS, type ServedPlace } from "../serve-alone.ts";
import { keepNodeId } from "../server-files.ts";

interface ServedNode extends ServedPlace {
  readonly membership: Membership;
  /** Identifies the files of the agents that run here. */
  readonly place: string;
}

/** Makes this process one of several servers of a database. Throws if another server uses the same data folder. */
export async function serveNode(
  context: ServiceContext,
  nodes: NodeRegistry,
  home: string,
  caller: Caller,
  listener: NodeListener,
): Promise<ServedNode> {
  const place = placeOf(process.env.BELAY_AGENT_FILES);
  const holder = identifyHolder(`server (pid ${process.pid})`);
  const node = { id: keepNodeId(home, context.newId), name: hostname(), holder, place };
  const membership = await nodes.join(node, listener);
  const by = { ...caller, owner: SERVERS };
  const note = (fact: Parameters<typeof recordSystemFact>[2]) =>
    recordSystemFact(context, by, fact, context.newId());
  return {
    membership,
    place,
    started: (url) => note({ type: "server.started", data: { url, pid: process.pid } }),
    async stopped(url) {
      await note({ type: "server.stopped", data: { url } });
      await membership.leave();
    },
  };
}

/** Nodes that share the files of their agents set the same name. */
function placeOf(shared: string | undefined): string {
  const where = shared ? ["shared", shared] : [readMachine(), hostname(), homedir()];
  return createHash("sha256").update(JSON.stringify(where)).digest("hex").slice(0, 16);
}
