/** Bounds of `predictd doctor`, each with its reason. */
export const DOCTOR = {
  /** What is not known after this long is reported as not known: an operator waits. */
  totalMs: 30_000,
  /** One check, and each call outside: an address that takes longer is of no use to orders. */
  checkMs: 5_000,
  /**
   * Checks at a time: with every address silent all of some seventy rows still end within the
   * total, and no host is asked by more than a few at once.
   */
  checksAtOnce: 16,
  /** Ending connections that are still open, before they are left to the end of the process. */
  closeMs: 500,
  /** Characters of a sentence that is shown: texts of servers may be of any length. */
  sentenceMaximumChars: 400,
  /** Bytes read of an answer: only a few fields of it count. */
  answerMaximumBytes: 4 << 20,
  /** A test alert ends by itself: long enough to pass any grouping, and seen. */
  testAlertMs: 300_000,
} as const;

/** What a machine has to have, as `predictd doctor` checks it. */
export const MACHINE = {
  /** Sockets of clients and of venues are files: what the unit of systemd asks for. */
  openFilesLeast: 65_536,
  /** Builds of the native packages are linked against this version of glibc. */
  glibcLeast: '2.28',
  /** The daemon, and one core for the thread that follows the log. */
  coresLeast: 2,
  /** Beside the heap: LMDB's map, buffers of sockets, the code. */
  memoryBesideHeapBytes: 512 << 20,
} as const;

/** What a disk has to do, as `predictd doctor` measures it. */
export const DISK_TEST = {
  /** Writes of each kind: enough for a p99, and over in a second on a good disk. */
  writes: 200,
  /** A block of the store's log. */
  blockBytes: 4_096,
  /** All of a kind: a slow disk is judged by the writes it did in this time. */
  kindMaximumMs: 1_300,
  /**
   * A median below this is no disk, or a cache that says "written" before it is: the fastest drives
   * with a capacitor take more (measured: disk 0.34 to 0.69 ms, memory 0.005).
   */
  lyingP50Ms: 0.02,
  /** Every commit waits for the disk: slower ones are seen in the times of orders. */
  slowP99Ms: 50,
} as const;

/** Room that has to be left. */
export const ROOM = {
  /** A week of growth: a long weekend away from it, and time to get a disk. */
  days: 7,
  /** Least, whatever the growth, of which a young folder shows nothing. */
  leastBytes: 1 << 30,
  /** Below this commits are refused soon: a file of the log, its small copy, a map's growth. */
  failBytes: 64 << 20,
  /** Files: one of the log in two minutes makes 5,000 a week. */
  leastInodes: 10_000,
  /** A folder's growth is judged by its files once they are this old. */
  judgedAfterMs: 86_400_000,
} as const;

/** How far this machine's clock may be from others. */
export const CLOCK_TEST = {
  /** Rounds of five minutes open and end by it, and prices are judged by their age. */
  warnMs: 250,
  /** Data Streams refuses what is signed 5 s away, and venues what is a few seconds old. */
  failMs: 1_000,
} as const;

/** How outside services are judged. */
export const OUTSIDE_TEST = {
  /** A node whose newest block is older does not follow: the slowest chain makes one in 12 s. */
  headAgeMaximumMs: 60_000,
  /** Time for a certificate to be replaced by hand. */
  certificateDays: 14,
  /** What an inference may be old: agents take none that is older than minutes. */
  inferenceAgeMaximumMs: 600_000,
  /** How far back a price is asked for: exchanges' candles of a second come late by a few. */
  priceAgoMs: 15_000,
} as const;
