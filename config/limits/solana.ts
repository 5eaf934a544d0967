/** Bounds of calls to Solana, each with its reason. */

/** Reads of a node, and transactions handed to it. */
export const SOLANA = {
  /**
   * Public nodes answer within a second; a view over several chains waits 3 s for each (web3.md
   * section 7).
   */
  callTimeoutMs: 3_000,
  /** The token accounts of a wallet that spammers like are a few hundred, half a kilobyte each. */
  answerMaximumBytes: 4 << 20,
  connectionsMaximum: 16,
  keepAliveMs: 4_000,
  connectTimeoutMs: 3_000,
  /** The network's own limit of a transaction. */
  transactionMaximumBytes: 1_232,
  /**
   * Transactions read to find what moved a wallet's token: a day of a user who trades manually.
   * What lies further back is booked as one sum.
   */
  historyMaximum: 200,
  /** Of them read at once, well within the connections there are. */
  historyAtOnce: 8,
  /**
   * Transactions of a wallet that are searched for SOL that came, since the last poll: what a node
   * lists in one answer.
   */
  arrivalsMaximum: 1_000,
  /** A node's reason for a refusal is shown, so it is kept short. */
  reasonMaximumChars: 200,
} as const;

/** The Solana questions users may ask through us (web3.md section 8.3). */
export const SOLANA_PROXY = {
  /** A transaction with its signatures, or a hundred account names, fits many times. */
  bodyMaximumBytes: 65_536,
  batchMaximum: 10,
  callsPerMinute: 120,
  /** Each sending costs the node a simulation. */
  sendsPerMinute: 20,
  /** Users whose buckets are kept: beyond it the one unused for longest is forgotten. */
  bucketsMaximum: 10_000,
  /** Longest a node may take, simulations included. */
  timeoutMs: 10_000,
  /** Accounts, and signatures, asked for at once. */
  accountsMaximum: 100,
  signaturesMaximum: 100,
  /** A blockhash is good for a minute, so one of a second ago is as good as new. */
  blockhashKeptMs: 1_000,
  /** An epoch takes two days; its slot numbers move, so not for long. */
  epochKeptMs: 10_000,
} as const;

/** Transactions of users' own Solana accounts. */
export const SOLANA_RAIL = {
  /**
   * A slot takes 0.4 s and is final after some 13 s: that many questions at this pace. Then it is
   * doubled up to the maximum.
   */
  askFirstMs: 500,
  asksQuick: 30,
  askMaximumMs: 5_000,
  /** Nodes drop what no leader took within some slots; the bytes are good for about a minute. */
  rebroadcastMs: 4_000,
  /**
   * Attempts, each with its blockhash and the proof that the one before never lands, after which it
   * is given up: some four minutes.
   */
  attemptsMaximum: 3,
} as const;

/** Transfers out of users' own Solana accounts. */
export const SOLANA_TRANSFER = {
  /** Fee of one signature (web3.md section 8.2). */
  signatureLamports: 5_000,
  /** What a transfer that makes the recipient's token account takes at most, with room. */
  computeUnitsMaximum: 80_000,
  /** What is bid for a place in a busy block: 0.0000016 SOL at those units. */
  microLamportsPerUnit: 20_000,
  /**
   * Rent of an account without data, and of a token account: the network lets nothing exist with
   * less.
   */
  accountRentLamports: 890_880,
  tokenAccountRentLamports: 2_039_280,
} as const;
