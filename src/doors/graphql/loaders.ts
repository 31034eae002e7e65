import DataLoader from "dataloader";
import type { Artifact, Task, Turn } from "../../contract/session.ts";
import type { CheckpointLine, SessionDetails } from "../../service/read/read-details.ts";

interface TurnsKey {
  readonly id: string;
  readonly before: number | undefined;
  readonly limit: number;
}
interface DetailKey {
  readonly id: string;
  readonly limit: number;
}

/** Details of sessions, collected over one request and read at once. */
export interface Loaders {
  readonly turns: DataLoader<TurnsKey, Turn[], string>;
  readonly artifacts: DataLoader<DetailKey, Artifact[], string>;
  readonly checkpoints: DataLoader<DetailKey, CheckpointLine[], string>;
  readonly task: DataLoader<string, Task | null>;
}

/** Created for one request, so cached values are never older than it. */
export function createLoaders(details: SessionDetails, owner: string): Loaders {
  const cacheKeyFn = ({ id, limit }: DetailKey): string => `${id} ${limit}`;
  return {
    turns: new DataLoader((pages) => details.turns(owner, pages), {
      cacheKeyFn: ({ id, before, limit }) => `${id} ${before} ${limit}`,
    }),
    artifacts: new DataLoader((pages) => details.artifacts(owner, pages), { cacheKeyFn }),
    checkpoints: new DataLoader((pages) => details.checkpoints(owner, pages), { cacheKeyFn }),
    task: new DataLoader((ids) => details.tasks(owner, ids)),
  };
}
