/** Lets one writer of all processes in at a time. */
export interface WriteLock {
  /** False while another writer has it. */
  acquire(): boolean;
  release(): void;
  close(): void;
}
