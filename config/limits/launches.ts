/** Bounds of launched tokens and of entries in the agent registry, each with its reason. */

/** Pictures and metadata that anybody may read. */
export const PUBLIC_FILES = {
  /** Pictures (web3.md section 4). */
  imageMaximumBytes: 4 << 20,
  /**
   * Pixels of a picture's longer side: a telephone's photo has 4,032. Decoded, that is 64 MB at the
   * most in every program that lists the token; a few bytes can claim 60,000 by 60,000.
   */
  imageSideMaximum: 4_096,
  /**
   * Chunks, segments and frames of a picture: one of the largest size has some thousands. More are
   * read for a fifth of a second, in which nothing else is answered.
   */
  imagePartsMaximum: 20_000,
  /** Pictures of one user in a UTC day: each is kept by the pinning service for good. */
  imagesPerDay: 20,
  /** Pictures remembered of one user; the oldest is forgotten first. */
  imagesKeptMaximum: 20,
  /** Four megabytes at a slow upload. */
  callTimeoutMs: 30_000,
  connectTimeoutMs: 3_000,
  keepAliveMs: 4_000,
  connectionsMaximum: 4,
  answerMaximumBytes: 65_536,
  /**
   * Files up to a chunk of IPFS are one raw block, so that their name follows from what they hold
   * and can be checked.
   */
  chunkBytes: 262_144,
  /** Where anybody reads them: what is written into a token. */
  gateway: 'https://ipfs.io/ipfs/',
} as const;

/** Launches of tokens (web3.md section 4). */
export const LAUNCH = {
  /** Bytes of UTF-8 that the platform's program takes. */
  nameMaximumBytes: 32,
  symbolMaximumBytes: 13,
  uriMaximumBytes: 200,
  /** Of every token of the platform (web3.md section 4). */
  decimals: 6,
  /** Newest launches whose tokens a wallet's view shows. */
  tokensShownMaximum: 20,
  /** Some paragraphs. */
  descriptionMaximumChars: 1_000,
  /** One launch of a user in this time. */
  everyMs: 300_000,
  /** The platform's program takes some 60,000 units here; the real one may take more. */
  computeUnitsMaximum: 250_000,
  /** What is bid for a place in a busy block: 0.000025 SOL at those units. */
  microLamportsPerUnit: 100_000,
  signatureLamports: 5_000,
  /** Rent of a byte, and the bytes every account is charged for beside its own. */
  rentLamportsPerByte: 6_960,
  accountOverheadBytes: 128,
  /** A mint with a metadata pointer, without the metadata; its texts come on top. */
  mintBytes: 318,
  /** The curve's token account, with the mark that its owner stays. */
  tokenAccountBytes: 170,
  /** The curve as the platform's package sizes it at most (`BONDING_CURVE_NEW_SIZE`). */
  curveBytes: 151,
  /** What a trial may cost beyond what was shown, in hundredths: prices of rent do not move. */
  costSlackPercent: 10,
  rowsPerRead: 50,
} as const;

/** Entries in the agent registry, and feedback left there (web3.md section 5). */
export const REGISTRY = {
  nameMaximumChars: 64,
  descriptionMaximumChars: 1_000,
  /** Bytes of UTF-8 that the registry takes. */
  uriMaximumBytes: 250,
  tagMaximumBytes: 32,
  /** Services, skills and domains that one entry may name. */
  listMaximum: 20,
  commentMaximumChars: 1_000,
  /** The registry counts with at most so many decimals. */
  decimalsMaximum: 18,
  /** Entries and feedback of one user in a UTC day: each costs little and stays for good. */
  perDay: 20,
  /** The registry's package asks for as many (8004-solana 0.8.3, DEFAULT_COMPUTE_UNITS). */
  computeUnitsMaximum: 400_000,
  /** What is bid for a place in a busy block: 0.000004 SOL at those units. */
  microLamportsPerUnit: 10_000,
  /** An entry costs about 0.0092 SOL, feedback next to nothing; twice that is no registration. */
  costMaximumLamports: 20_000_000,
} as const;
