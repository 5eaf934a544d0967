/**
 * Bounds of transactions on chains and of what moves through Safes (deployment, allowances,
 * withdrawals, redemptions), each with its reason.
 */

/** Transactions of accounts, on every rail. */
export const TRANSACTION = {
  /**
   * Transactions waiting for one account: a person does a few, an agent's wins of an hour are a
   * dozen.
   */
  queueMaximum: 50,
  /**
   * Transactions that have ended and are asked about again in each round, the newest of one user: a
   * block that was taken back holds one or two of them, and an agent makes some in a round.
   */
  watchedMaximum: 20,
  /**
   * The same where the chain shows something else than the books, which is rare: whoever trades
   * fast may have made many since. Two calls each.
   */
  askedAgainMaximum: 200,
  /** And no older than this: no chain here takes back a day. */
  askedAgainMs: 24 * 3_600_000,
  /**
   * What has ended is asked about again for so long in the rounds over all users, whatever their
   * wallets show: until the chains that are settled by another one are final there.
   */
  watchedMs: 20 * 60_000,
  /**
   * One that no block has, and whose nonce is used, is not carried out any more once this is found
   * for so long: more than a node takes that is behind another one, and than a block that was taken
   * back takes to come again.
   */
  neverProvenMs: 2 * 60_000,
  /**
   * That no block has a transaction proves nothing of what is older: nodes forget the receipts of
   * old blocks, some after a thousand of them, which is half an hour of a quick chain.
   */
  absenceProvesForMs: 20 * 60_000,
  /** Such transactions that are remembered: hardly any. */
  neverRemembered: 10_000,
  /** A user's newest transactions, among which those of a swap that ended are found. */
  newestSearched: 200,
  /**
   * One step (a signature with its nonce, a sending, a question) may take this long: three calls of
   * the slowest adapter.
   */
  stepTimeoutMs: 20_000,
} as const;

/** Transactions of Safes, through the relayer. */
export const SAFE_RAIL = {
  /**
   * The first questions after a sending, that many at this pace: a newcomer waits for a block and
   * its confirmations. Then it is doubled up to the maximum.
   */
  askFirstMs: 500,
  asksQuick: 20,
  askMaximumMs: 5_000,
  /**
   * Bytes the relayer took and no block has are sent again after this: it may have forgotten them.
   */
  rebroadcastMs: 30_000,
  /**
   * What is not executed after this is given up by a call without effect under its nonce: money
   * must not be held for ever.
   */
  giveUpMs: 10 * 60_000,
  /**
   * Refused or failed copies after which it is given up earlier: a refusal is rarely taken back.
   */
  refusalsMaximum: 5,
  /**
   * Blocks on top of an event, its own included, after which it is final: more than a
   * reorganisation of Polygon takes back.
   */
  confirmations: 3,
} as const;

/** Making a user's Safe ready. */
export const ONBOARDING = {
  /** A step that failed is tried again after this, doubled up to the maximum. */
  retryFirstMs: 1_000,
  retryMaximumMs: 60_000,
} as const;

/** Money to the user's own wallet. */
export const WITHDRAWAL = {
  /** Less than a cent is dust: its transaction costs the relayer more. */
  minimumMicros: 10_000,
  /**
   * An answer waits this long for the chain's word before it says how far things are: a block and
   * its confirmations.
   */
  answerWithinMs: 8_000,
} as const;

/** Turning won shares into USDC. */
export const REDEEM = {
  /** After a redemption that failed the next one waits this long, doubled up to the maximum. */
  retryFirstMs: 5_000,
  retryMaximumMs: 10 * 60_000,
  /**
   * Shares that are not in the Safe at two readings this far apart are gone: more blocks than a
   * reorganisation of Polygon takes back.
   */
  goneAfterMs: 60_000,
} as const;

/** Comparing ledger and chain. */
export const RECONCILE = {
  /** Pause between two rounds over all users. */
  intervalMs: 60_000,
  /** Pause between two users: bounds the load on the node. */
  paceMs: 20,
  /**
   * A difference counts when it is seen this often in a row: chain and ledger are read one after
   * the other.
   */
  sightings: 3,
  /** Longer than a block and the confirmations that make it final in the books. */
  sightingPauseMs: 10_000,
  /** Outcome tokens compared for one user: more than anybody holds at a time. */
  tokensMaximum: 500,
  /** Tokens in one question: what a chain takes in one call. */
  tokensPerQuestion: 150,
} as const;

/** Reading users' own wallets, on which the chain alone reports. */
export const WALLET = {
  /** A user's own wallets are read when they read their money, at most this often. */
  soonMs: 2_000,
  /** What is not final yet is read again after this: a block is final after some 13 s. */
  againMs: 3_000,
  /**
   * What stays not final for so long is counted as a difference: the slowest venue names a trade's
   * fills within a minute or two, and one that has lost them never does.
   */
  unsettledMaximumMs: 10 * 60_000,
  /** Users who wait for that at a time; the others wait for their next round. */
  againMaximum: 1_000,
  /**
   * What came or left and no block has any more is taken back after this: two rounds over all
   * users, in which a sender of this service is asked about theirs, and sends it again.
   */
  absentMs: 2 * 60_000,
  /** Newest deposits of one user, and departures, that are asked about again, a question each. */
  movementsAskedAgainMaximum: 20,
  /** Newest trades of one user whose settlement is asked about again, a question each. */
  fillsAskedAgainMaximum: 20,
  /**
   * Users whose wallets are looked at because they read their money, at a time: two or three
   * questions to a node each.
   */
  readingsAtOnce: 8,
  /**
   * Looks in a row, `againMs` apart at least, that find the same difference unexplained before it
   * is booked as one sum: more than a node that is behind takes to catch up.
   */
  readingsUnexplained: 3,
  /** Users with an unexplained difference that is remembered: hardly any. */
  usersRemembered: 10_000,
  /** Tokens that are no outcome of a market here: anybody may send some to anybody. */
  tokensIgnoredMaximum: 100_000,
  /**
   * Less SOL than this (about two cents) is no arrival: dust is sent to strangers as advertising.
   */
  lamportsMinimum: 100_000,
  /**
   * SOL up to this that comes with a token is the rent of accounts that a trade no longer needs:
   * an order's and its escrow's are 0.004.
   */
  rentLamportsMaximum: 10_000_000,
  /** Tokens of one user that are looked up in one reading, a few questions each. */
  tokensPerReading: 20,
  /**
   * Where histories are read from marks, one is moved on so often while chain and books agree: a
   * write a user, and some ten thousand blocks to read at most.
   */
  markEveryMs: 4 * 3_600_000,
  /** Tokens asked about where the chain lists none by owner: more than a user holds. */
  tokensMaximum: 500,
} as const;

/** Booking by proof what no record explains. */
export const EXPLAIN = {
  /**
   * How far back the first scan of a Safe goes: a day of Polygon, as that for deposits does; later
   * ones go on where it ended.
   */
  firstScanBlocks: 43_200,
  /** A block of Polygon, ms: its usual two seconds, less what they vary by. */
  blockMs: 1_600,
  /** Blocks read again by each later scan: more than a reorganisation of Polygon takes back. */
  rereadBlocks: 64,
  /** Blocks in one question: what nodes answer (chain-limits.ts). */
  blocksPerQuestion: 2_000,
  /**
   * Users whose last scan is remembered: those with a difference that stays, of whom there are
   * hardly any.
   */
  usersRemembered: 10_000,
} as const;

/** Plain dollars that lie in a Safe. */
export const ORPHANED_USDC = {
  /** As of withdrawals: less costs the relayer more than it is worth. */
  minimumMicros: 10_000,
  /**
   * After a wrapping that failed the next one waits this long: an onramp that does not take a token
   * today may tomorrow.
   */
  retryMs: 10 * 60_000,
  /** Newest wrappings of each token looked through for the last one. */
  attemptsRead: 20,
} as const;

/** Dollars of the user's own wallet into the Safe. */
export const SAFE_TRANSFER = {
  /** As of withdrawals. */
  minimumMicros: 10_000,
  /** A permit is good for this long: longer than an action lives before it is given up. */
  permitLifeMs: 3_600_000,
} as const;

/**
 * Transfers out of users' own wallets to whomever they name. What a stolen session could take
 * within a day is bounded by these.
 */
export const TOKEN_TRANSFER = {
  /**
   * A payment to a deposit address may be final some minutes before the bridge tells of it: so long
   * it still counts as under way.
   */
  bridgeTellsMs: 1_800_000,
  /**
   * Marks of earlier payments to one recipient that a change of a payment looks at: all of them
   * would make each transfer to a busy address dearer than the one before.
   */
  forgottenAtOnce: 20,
  /** As of withdrawals. */
  minimumUsdcMicros: 10_000,
  /** All transfers of a user in a UTC day. */
  perDay: 20,
  /**
   * What all transfers of a user in a UTC day may be worth, in millionths of a dollar: beyond it is
   * for a person to review. What has no known worth counts for nothing but the number.
   */
  dailyUsdMicros: 10_000_000_000,
  /** A transfer is worth what its token costs now: without a price it waits so long for one. */
  priceWaitMs: 2_500,
} as const;

/** Transfers out of users' own EVM wallets. */
export const EVM_TRANSFER = {
  /**
   * Coin that must be there for the fee, of what the transaction costs at most as it is signed: a
   * fifth more gas than was estimated (EVM_RAIL), and two replacements an eighth dearer each.
   */
  reservePercent: 155n,
  /**
   * What chains take beside the gas for publishing a transaction on the first chain, by chain id,
   * in wei: some cents, far above what 200 bytes have cost (web3.md section 6).
   */
  publishingWei: { 8453: 20_000_000_000_000n } as Readonly<Record<number, bigint>>,
} as const;
