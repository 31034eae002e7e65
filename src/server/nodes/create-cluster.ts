import type { Registry } from "prom-client";
import { LEFT_AFTER_MS } from "../../core/resume/should-resume.ts";
import type { AgentRunner } from "../../drive/run/agent-runner.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import type { NodeMessages } from "../../store/node-messages.ts";
import type { Membership, NodeListener, NodeRegistry } from "../../store/node-registry.ts";
import type { Chore, ChoreListener } from "../chores/chores.ts";
import { shareChores } from "../chores/share-chores.ts";
import { SERVERS, type ServedPlace } from "../serve-alone.ts";
import { measureMessages } from "./measure-messages.ts";
import { measureNodes } from "./measure-nodes.ts";
import { serveNode } from "./serve-node.ts";

/** The server as one of several nodes on a database. With a data folder alone, nothing is shared. */
interface Cluster {
  join(home: string, self: Caller, nodes: NodeRegistry): Promise<ServedPlace>;
  /** Sends and receives live text through these messages. */
  connect(messages: NodeMessages): void;
  /** Makes each chore that concerns all sessions run on one node at a time. */
  share(chores: readonly Chore[]): Chore[];
  /** Sets the function that runs chores at once when a node is gone. */
  onGone(hurry: (chores: readonly string[]) => void): void;
  /** Releases the chores, so that other nodes do them. */
  release(): Promise<void>;
  /** True if no other node lives, except those that are shutting down. */
  isAlone(): boolean;
  /** The reason why this server cannot work at the moment; null if it can. */
  problem(): string | null;
  /** The reason why this server works, but more slowly; null if there is none. */
  slowdown(): string | null;
}

/** The chores that take over the work of a node that is gone. */
const TAKEN_OVER = ["recovery", "queue"];
/** Nodes query the database every second. */
const LOOK_MS = 1000;
const SILENCE_MS = 4000;
/** The time that the node with the lease of the recovery has to recover the sessions of a node that is gone. */
const ASSIST_MS = 1500;
const SHARED = new Set(["recovery", "wake", "queue", "retention"]);

export function createCluster(
  context: ServiceContext,
  runner: Pick<AgentRunner, "room" | "takeOver" | "join" | "connect">,
  registry: Registry,
  log: ChoreListener["log"],
  /** Called when another server has taken over the data folder. */
  onReplaced: () => void,
): Cluster {
  const caller = (): Caller => ({
    owner: SERVERS,
    actor: "belay",
    interface: "api",
    trace_id: context.newId(),
  });
  const shared = shareChores(context, caller);
  let hurry: (chores: readonly string[]) => void = () => {};
  let membership: Membership | null = null;
  let messages: NodeMessages | null = null;
  const others = () =>
    (membership?.nodes() ?? []).filter(
      ({ id, live, room }) => live && room >= 0 && id !== membership?.id,
    );
  let metrics: ReturnType<typeof measureNodes> | null = null;
  /** Each session has its own lease, so several nodes may recover at once. */
  const takeOver = (): void => {
    hurry(TAKEN_OVER);
    const assist = (): void => {
      shared.assist("recovery");
      hurry(["recovery"]);
    };
    setTimeout(assist, ASSIST_MS).unref();
    // Messages that the node has just queued are left to it for a while.
    setTimeout(() => hurry(TAKEN_OVER), LEFT_AFTER_MS + LOOK_MS).unref();
  };
  const listener: NodeListener = {
    room: () => runner.room(),
    onGone({ id, name }) {
      metrics?.gone.inc();
      log.info({ node: id, name }, "a node is gone");
      takeOver();
    },
    onLost() {
      metrics?.lost.inc();
      log.error({}, "the registration of this node was not renewed in time: its sessions are free");
      takeOver();
    },
    onReplaced,
    onCalled(ids) {
      runner
        .takeOver(ids)
        .catch((err: unknown) => log.error({ err }, "sessions could not be taken over"));
    },
  };
  return {
    async join(home, self, nodes) {
      metrics = measureNodes(registry, nodes, () => membership);
      const node = await serveNode(context, nodes, home, self, listener);
      membership = node.membership;
      runner.join(node.membership, node.place);
      return node;
    },
    connect(given) {
      messages = given;
      measureMessages(registry, given);
      runner.connect(given);
    },
    share: (chores) =>
      chores.map((chore) => (membership && SHARED.has(chore.name) ? shared.share(chore) : chore)),
    onGone(listen) {
      hurry = listen;
    },
    release: () => shared.release(),
    isAlone: () => others().length === 0,
    problem() {
      const silence = membership?.silence() ?? 0;
      if (silence < SILENCE_MS) return null;
      return `The database has not answered for ${Math.round(silence / 1000)} seconds.`;
    },
    slowdown: () => messages?.problem() ?? null,
  };
}
