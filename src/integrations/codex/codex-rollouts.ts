import { dirname, join } from "node:path";
import type { Conversation } from "../../import/conversation.ts";
import { recordIn, textIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { codexItems, promptOf } from "./codex-items.ts";
import { JoinedRollouts } from "./joined-rollouts.ts";
import { RolloutFiles, rolloutName } from "./rollout-files.ts";

/**
 * Reads the rollouts of Codex: files with the model's log and the screen's log. Most threads have one. Newer versions
 * start another if a thread is forked or reverted, which continues from a place in the previous one.
 */
export const codexRollouts: ConversationReader = {
  tool: "codex",
  home: (env, userHome) => env.CODEX_HOME || join(userHome, ".codex"),
  folderOf: (file) => /^(.*)\/(?:sessions|archived_sessions)\//.exec(file)?.[1] ?? dirname(file),
  async *read(path, report, near) {
    const name = rolloutName(path);
    const files = filesIn(await near());
    const all = name ? files.ofThread(name.thread) : [];
    const paths = all.includes(path) ? all : [path];
    // The newest file of a thread leads to all of them.
    if (paths.at(-1) !== path || (name && files.hasOther(path, name.rollout))) return;
    const joined = new JoinedRollouts(name?.thread ?? null);
    try {
      await joined.open(paths, files, report);
      const conversation = toConversation(joined, name);
      if (conversation) yield conversation;
    } finally {
      joined.close();
    }
  },
};

const FOUND = new WeakMap<readonly string[], RolloutFiles>();

/** The same list of files comes with every one of them. */
function filesIn(paths: readonly string[]): RolloutFiles {
  const files = FOUND.get(paths) ?? new RolloutFiles(paths);
  FOUND.set(paths, files);
  return files;
}

function toConversation(
  { chain, own, isIncomplete }: JoinedRollouts,
  name: ReturnType<typeof rolloutName>,
): Conversation | null {
  const newest = own.at(-1);
  const origin = newest?.meta ?? {};
  const thread = textIn(origin.id) ?? name?.thread;
  // Without the rollout that it continues, it is not the whole thread.
  const id = isIncomplete ? (name?.rollout ?? thread) : thread;
  if (id === undefined || chain.nodes.length === 0) return null;
  const prompt = chain.nodes.find(({ kind }) => kind === "prompt")?.ref;
  const asked = prompt && promptOf(recordIn(prompt.rollout.file.read(prompt.place).payload));
  const times = own.flatMap((rollout) => rollout.times ?? []);
  const parent = newest?.parent ?? null;
  const forked = textIn(origin.forked_from_id);
  const version = textIn(origin.cli_version);
  return {
    id,
    title: firstLine(asked ?? null),
    cwd: textIn(origin.cwd),
    git_branch: textIn(recordIn(origin.git).branch),
    started_at: times.length > 0 ? Math.min(...times) : null,
    updated_at: times.length > 0 ? Math.max(...times) : null,
    agent: { name: "codex", session_id: parent === null ? (thread ?? null) : null },
    parent: parent === null ? null : { id: parent, call: null },
    forked_from: forked,
    metadata: {
      ...(version !== null && { codex_version: version }),
      ...(forked !== null && { forked_from: forked }),
    },
    branches: (stored) =>
      findBranches(
        chain.nodes,
        stored,
        function* (refs) {
          for (const { rollout, place, name } of refs) {
            yield* codexItems(rollout.file.read(place), name);
          }
        },
        chain.last,
      ),
  };
}
