/** Compressed answers (`src/http/compression.ts`). */
export const COMPRESSION = {
  /** Smaller answers fit two packets as they are. */
  bytesMinimum: 2_048,
  /**
   * Larger ones go out as they are: no own answer is, and compressing holds a thread for as long.
   */
  bytesMaximum: 4 * 1_048_576,
  /**
   * Answers compressed at a time, on the thread pool that the store and name lookups use too: half
   * of its four threads. Others go out as they are meanwhile.
   */
  atATimeMaximum: 2,
  /**
   * For lists, made anew for each caller: 119 KB take some 2 ms and come to 16 KB; the best levels
   * take ten times as long for a fifth less.
   */
  listGzipLevel: 4,
  listBrotliQuality: 4,
  /** For documents, compressed once: 623 KB take a tenth of a second. */
  documentGzipLevel: 9,
  documentBrotliQuality: 9,
  /** Documents kept compressed, the one made first let go first: the API has five. */
  documentsKept: 16,
} as const;
