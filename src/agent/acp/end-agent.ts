import { methods } from "@agentclientprotocol/sdk";
import { isAlive } from "../../process/process-identity.ts";
import { endTree, snapshotTree } from "../../process/process-tree.ts";
import type { AgentPeer } from "./agent-peer.ts";
import { isSettledWithin } from "./within.ts";

interface Ending {
  /** Milliseconds for each step. */
  readonly limit: number;
  /** Asks the running prompt to stop and waits for its end; null if none runs. */
  readonly stopPrompt: (() => Promise<void>) | null;
  /** The session to close, if the agent supports that. */
  readonly session: string | null;
}

/** Ends an agent and all its processes: asks it, closes its input, and only then uses force. */
export async function endAgent(
  peer: AgentPeer,
  { limit, stopPrompt, session }: Ending,
): Promise<void> {
  const { process, marker, ended } = peer.process;
  // Taken while parents live, because afterwards the origin of a process is unknown.
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
  // Another user's process cannot be ended, so the wait is limited.
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
