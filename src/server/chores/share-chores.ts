import { identifyHolder } from "../../process/process-identity.ts";
import { choreStream, recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { acquireLease, releaseLease, renewLease } from "../../store/leases.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { Chore } from "./chores.ts";

/** Chores that one node at a time does for all nodes. */
interface SharedChores {
  /** The same chore, which runs only while this node holds its lease. */
  share(chore: Chore): Chore;
  /** The next run of this chore needs no lease: its holder may hang, and the work must not wait for that. */
  assist(name: string): void;
  /** Called when this node shuts down, so that another takes over at once. */
  release(): Promise<void>;
}

/** Each chore has its own lease. The node that holds it keeps it until it shuts down or is gone. */
export function shareChores(context: ServiceContext, caller: () => Caller): SharedChores {
  const { store } = context;
  const assisted = new Set<string>();
  const held = new Map<string, { readonly id: string; readonly epoch: number }>();

  const isHeld = async (name: string): Promise<boolean> => {
    const before = held.get(name);
    if (before && (await renewLease(store, before.id, before.epoch))) return true;
    held.delete(name);
    const id = await findChore(context, caller(), name);
    const grant = await acquireLease(store, id, identifyHolder(`server (pid ${process.pid})`));
    if (grant.granted) held.set(name, { id, epoch: grant.epoch });
    return grant.granted;
  };

  return {
    share: (chore) => ({
      ...chore,
      async run(signal) {
        const isAssisted = assisted.delete(chore.name);
        return isAssisted || (await isHeld(chore.name)) ? chore.run(signal) : { counts: {} };
      },
    }),
    assist: (name) => void assisted.add(name),
    async release() {
      const leases = [...held.values()];
      held.clear();
      await Promise.allSettled(leases.map(({ id, epoch }) => releaseLease(store, id, epoch)));
    },
  };
}

async function findChore(context: ServiceContext, caller: Caller, name: string): Promise<string> {
  const place = choreStream(caller.owner, name);
  const found = await loadStream(context.store, place);
  if (found) return found.id;
  const fact = { type: "server.registered", data: { chore: name } } as const;
  await recordSystemFact(context, caller, fact, `registered ${name}`);
  const made = await loadStream(context.store, place);
  if (!made) throw new Error("the log of a chore was written, but is missing");
  return made.id;
}
