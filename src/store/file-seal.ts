/** Encrypts texts that only the key of its store can decrypt. */
export interface FileSeal {
  readonly publicKey: string;
  seal(text: string): string;
  /** Null for a text that was encrypted for another store, or altered. */
  open(sealed: string): string | null;
}
