/** A file stored with a session. */
export interface AddedFile {
  readonly session_id: string;
  readonly artifact_id: string;
  /** The digest that the file is read by. */
  readonly digest: string;
  readonly size: number;
}
