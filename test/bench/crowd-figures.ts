/** What a crowd of agents came to in a process of its own. */
export interface CrowdFigures {
  readonly agents: number;
  /** From opening the store to the last agent enrolled, every user's keys unsealed. */
  readonly startMs: number;
  /** Resident memory of the process once all are enabled, the runtime included. */
  readonly residentMegabytes: number;
  /** Heap of one agent that waits. */
  readonly bytesEach: number;
  readonly tickMicros: number;
  readonly fires: readonly CrowdFire[];
  /** Resident memory after all have acted. */
  readonly residentAfterMegabytes: number;
  /**
   * Of that, what is no file's page: LMDB's file is mapped, and the system takes its pages back as
   * it likes. NaN where the system does not say.
   */
  readonly anonymousAfterMegabytes: number;
  /** Where the least lucky user stood in the best of their firings: 0 is first, 1 last. */
  readonly worstBestPlace: number;
  /** The mean place over all firings of the user who fared best, and of the one who fared worst. */
  readonly meanPlaces: { readonly lowest: number; readonly highest: number };
}

/** One moment at which the signals of all agents said enter. */
export interface CrowdFire {
  /**
   * Until every agent had decided and its order had the venue's word, or the shortest round was
   * over.
   */
  readonly tookMs: number;
  /** The longest turn of the event loop meanwhile, processor time of its thread. */
  readonly holdMs: number;
  /** Agents for whom the round was over before their order had the venue's word. */
  readonly missed: number;
  /**
   * Processor time of the process, and of its event loop alone, for each order that had the venue's
   * word, microseconds.
   */
  readonly microsEach: number;
  readonly threadMicrosEach: number;
  /** Entries of shadow runs meanwhile. */
  readonly shadowEntries: number;
}
