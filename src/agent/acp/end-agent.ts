import { methods } from "@agentclientprotocol/sdk";
import { isAlive } from "../../process/process-identity.ts";
import { endTree, snapshotTree } from "../../process/process-tree.ts";
import type { AgentPeer } from "./agent-peer.ts";
import { isSettledWithin } from "./within.ts";

interface Ending {
  /** Milliseconds for each step. */
  readonly limit: number;
  /** Asks the running prompt to stop and waits for its end; null when none runs. */
  readonly stopPrompt: (() => Promise<void>) | null;
  /** The session to close, where the agent can do that. */
  readonly session: string | null;
}

/** Ends an agent and all that it has started: asks it, closes its input, and only then uses force. */
export async function endAgent(
  peer: AgentPeer,
  { limit, stopPrompt, session }: Ending,
): Promise<void> {
  const { process, marker, ended } = peer.process;
  // Taken while parents live: afterwards nobody can say whose child a process was.
  const known = snapshotTree(process, marker);
  if (isAlive(process)) {
    if (stopPrompt || session !== null) {
      await isSettledWithin(endConversation(peer, stopPrompt, session), limit);
    }
    known.push(...snapshotTree(process, marker));
    peer.closeInput();
    await isSettledWithin(ended, limit);
  }
  await endTree(process, { marker, grace: limit, known });
  // One that belongs to another user cannot be ended; waiting for it would take for ever.
  await isSettledWithin(ended, limit);
  await peer.release();
}

async function endConversation(
  peer: AgentPeer,
  stopPrompt: (() => Promise<void>) | null,
  session: string | null,
): Promise<void> {
  await stopPrompt?.();
  if (session !== null) await peer.ask(methods.agent.session.close, { sessionId: session });
}
