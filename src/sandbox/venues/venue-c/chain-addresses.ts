import { BASE_CHAIN } from '../../chains/evm/chain-addresses.ts';

/** The venue's contracts on chain 8453, at their production addresses (venue_c.md section 5). */
export const VENUE_C_CHAIN = {
  chainId: BASE_CHAIN.chainId,
  usdc: BASE_CHAIN.usdc,
  conditionalTokens: '0xC9c98965297Bc527861c898329Ee280632B76e18',
  /** Of the newest markets; a market says itself which one is its own. */
  exchange: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
  /** Of markets of groups: what settles their orders, and what reports and redeems them. */
  groupExchange: '0xe3E00BA3a9888d1DE4834269f62ac008b4BB5C47',
  groupAdapter: '0x6151EF8368b6316c1aa3C68453EF083ad31E712D',
} as const;

/** The contracts of a market of orders: the adapter is null but for one of a group. */
export function contractsOf({ group }: { readonly group: object | null }) {
  const { exchange, groupExchange, groupAdapter } = VENUE_C_CHAIN;
  return group === null
    ? { exchange, adapter: null }
    : { exchange: groupExchange, adapter: groupAdapter };
}
