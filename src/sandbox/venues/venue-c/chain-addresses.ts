import { BASE_CHAIN } from '../../chains/evm/chain-addresses.ts';

/** The venue's contracts on chain 8453, at their production addresses (venue_c.md section 5). */
export const VENUE_C_CHAIN = {
  chainId: BASE_CHAIN.chainId,
  usdc: BASE_CHAIN.usdc,
  conditionalTokens: '0xC9c98965297Bc527861c898329Ee280632B76e18',
  /** Of the newest markets; a market says itself which one is its own. */
  exchange: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
} as const;
