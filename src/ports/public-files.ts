/** A file for everybody. */
export interface PublicFile {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** For whoever looks through the uploads. */
  readonly name: string;
}

/** Keeps files where anybody can read them, under names made of what they hold. */
export interface PublicFiles {
  /**
   * Uploads a file and resolves with where it is; the same file has the same place, so that
   * repeating it is harmless. Errors: `files_unavailable` (retryable), also where something else
   * was kept in its place.
   */
  put(file: PublicFile): Promise<string>;
}
