import { MARKET_ID, TOKEN_ID } from '../http/samples.ts';
import { aTokenListing } from '../support/fakes/fake-token-data.ts';
import { IMAGE_ID } from '../support/fakes/fake-launches.ts';
import { QUOTE_ID } from '../support/fakes/fake-swaps.ts';
import { FIVE_DOLLARS } from './mcp-client.ts';

/** A market of venue_b. */
export const TICKER = 'KXHIGHNY-26NOV24-B52';

/** A token to launch. */
const TOKEN = { name: 'Coffee', symbol: 'BREW', description: '', imageId: IMAGE_ID };

/**
 * One call of every tool that a test API answers, its book of TOKEN_ID set; `id` makes those that
 * move money new ones.
 */
export function everyCall(id: string): readonly (readonly [string, Record<string, unknown>])[] {
  const { chain, address } = aTokenListing();
  return [
    ['markets_list', { limit: 1 }],
    ['market_get', { ticker: MARKET_ID }],
    ['events_list', { limit: 1 }],
    ['orders_create', { ...FIVE_DOLLARS(TICKER), preview: true }],
    ['orders_create', { ...FIVE_DOLLARS(TICKER), clientRequestId: `${id}-1` }],
    ['orders_list', {}],
    ['positions_list', {}],
    ['position_close', { marketId: TICKER, preview: true }],
    ['position_close', { marketId: TICKER, clientRequestId: `${id}-2` }],
    ['venue_a_markets', { limit: 1 }],
    ['venue_a_events', { limit: 1 }],
    ['venue_a_market_orderbook', { tokenId: TOKEN_ID }],
    ['balances_get', {}],
    ['wallet_addresses', {}],
    ['trending_tokens', { limit: 2 }],
    ['token_search', { query: 'brett', limit: 2 }],
    ['token_info', { chain, token: address }],
    [
      'swap_quote',
      {
        fromChain: 'POLYGON',
        toChain: 'BASE',
        sellTokenTicker: 'USDC',
        buyTokenTicker: 'ETH',
        amount: '25',
      },
    ],
    ['swap_execute', { quoteId: QUOTE_ID, preview: true }],
    ['swap_execute', { quoteId: QUOTE_ID, clientRequestId: `${id}-3` }],
    ['memelaunch_launch_token', { ...TOKEN, preview: true }],
    ['memelaunch_launch_token', { ...TOKEN, clientRequestId: `${id}-4` }],
    ['agents_stop_all', {}],
  ];
}
