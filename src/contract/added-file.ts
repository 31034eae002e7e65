/** A file that was kept with a session. */
export interface AddedFile {
  readonly session_id: string;
  readonly artifact_id: string;
  /** By which the file is read again. */
  readonly digest: string;
  readonly size: number;
}
