/**
 * Short messages between the nodes of the same data. A message may be lost, late, repeated or out of order, so nothing
 * that must happen depends on one. The program that carries the messages can neither read nor forge them.
 */
export interface NodeMessages {
  /** Returns at once. A message that cannot be sent now is dropped. */
  send(topic: string, text: string): void;
  /** Passes on the messages of a topic, including those of this process, until the returned function is called. */
  receive(topic: string, onText: (text: string) => void): () => void;
  /** The reason why messages do not arrive at the moment; null if they do. */
  problem(): string | null;
  readonly counts: MessageCounts;
  close(): Promise<void>;
}

export interface MessageCounts {
  readonly sent: number;
  readonly received: number;
  /** Not sent, because the carrier was away or too slow. */
  readonly dropped: number;
  /** Received, but not written by a node of the same data for the same topic. */
  readonly rejected: number;
}
