/** Bounds of looking at wallets, each with its reason. */

/** Views of wallets. */
export const WALLET_VIEW = {
  /** Somebody who asks again and again gets the same answer for a while: blocks take two seconds. */
  keptMs: 1_000,
  /** Users whose newest view is kept. */
  keptMaximum: 2_000,
  /** Tokens shown of one Solana wallet: anybody can send anything there. Known tokens come first. */
  tokensMaximum: 100,
} as const;
