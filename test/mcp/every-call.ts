import { TICKER } from '../http/api.ts';
import { MARKET_ID, TOKEN_ID } from '../http/samples.ts';
import { aTokenListing } from '../support/fakes/fake-token-data.ts';
import { IMAGE_ID, LAUNCH_ID } from '../support/fakes/fake-launches.ts';
import { QUOTE_ID, SWAP_ID } from '../support/fakes/fake-swaps.ts';
import type { Client } from '@modelcontextprotocol/client';
import { callTool, FIVE_DOLLARS } from './mcp-client.ts';

/** Places an order at the venue of TICKER that stays open; gives its id. */
export async function openOrder(client: Client): Promise<string> {
  const { value } = await callTool(client, 'orders_create', FIVE_DOLLARS(TICKER));
  return String(Object(value['result']).orderId);
}

/** A token to launch. */
const TOKEN = { name: 'Coffee', symbol: 'BREW', description: '', imageId: IMAGE_ID };

/**
 * One call of every tool that a test API answers, its book of TOKEN_ID set; `id` makes those that
 * move money new ones, `orderId` names an open order at the venue of TICKER.
 */
export function everyCall(
  id: string,
  orderId: string,
): readonly (readonly [string, Record<string, unknown>])[] {
  const { chain, address } = aTokenListing();
  return [
    ['markets_list', { limit: 1 }],
    ['market_get', { venue: 'venue_a', marketId: MARKET_ID }],
    ['events_list', { limit: 1 }],
    ['orders_create', { ...FIVE_DOLLARS(TICKER), preview: true }],
    ['orders_create', { ...FIVE_DOLLARS(TICKER), clientRequestId: `${id}-1` }],
    ['orders_list', {}],
    ['order_get', { orderId }],
    ['order_cancel', { orderId }],
    ['positions_list', {}],
    ['trades_list', {}],
    ['market_orderbook', { marketId: TICKER }],
    ['venue_a_price_history', { tokenId: TOKEN_ID }],
    ['price_history', { marketId: TICKER }],
    ['position_close', { marketId: TICKER, preview: true }],
    ['position_close', { marketId: TICKER, clientRequestId: `${id}-2` }],
    ['venue_a_markets', { limit: 1 }],
    ['venue_a_events', { limit: 1 }],
    ['venue_a_market_orderbook', { tokenId: TOKEN_ID }],
    ['markets_list', { venue: 'venue_c', limit: 1 }],
    ['market_get', { venue: 'venue_c', marketId: TICKER }],
    ['account_summary', {}],
    ['events_since', {}],
    ['balances_get', {}],
    ['wallet_addresses', {}],
    ['trending_tokens', { limit: 2 }],
    ['token_search', { query: 'brett', limit: 2 }],
    ['token_info', { chain, address }],
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
    ['swap_status', { swapId: SWAP_ID }],
    ['memelaunch_launch_token', { ...TOKEN, preview: true }],
    ['memelaunch_launch_token', { ...TOKEN, clientRequestId: `${id}-4` }],
    ['launch_status', { launchId: LAUNCH_ID }],
    ['agents_list', {}],
    ['agent_settings', { agent: 'btc_5min', minPositionSize: '2' }],
    ['agent_enable', { agent: 'btc_5min', mode: 'paper' }],
    ['agent_disable', { agent: 'btc_5min' }],
    ['agents_stop_all', {}],
  ];
}
