import { READS, READS_OWN, type Tool } from './tool.ts';

/** Every tool, in the order in which it is listed. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'venue_a_markets',
    title: 'Markets of venue_a',
    description:
      'Search or browse the markets of venue_a with their prices. Prices are to look at; trade by the order book.',
    operationId: 'listMarkets',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'venue_a_events',
    title: 'Events of venue_a',
    description: 'List the events of venue_a, each with its markets and their prices.',
    operationId: 'listEvents',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'venue_a_market_orderbook',
    title: 'Order book at venue_a',
    description:
      'Get the order book of one outcome token of venue_a: what is offered at which price, and how old that is.',
    operationId: 'getOrderBook',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
    renamed: { id: 'tokenId' },
  },
  {
    name: 'balances_get',
    title: 'Wallet balances',
    description: 'Get the balances of the wallets of the user on every chain, with their worth.',
    operationId: 'getWallets',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'wallet_addresses',
    title: 'Wallet addresses',
    description: 'List the addresses of the wallets of the user.',
    operationId: 'getWallets',
    scope: 'read',
    annotations: READS_OWN,
    budget: 'calls',
    picked: { list: 'wallets', fields: ['chain', 'walletType', 'address'] },
  },
  {
    name: 'trending_tokens',
    title: 'Trending tokens',
    description:
      'List the tokens that are looked at and traded most unusually now, on all chains or on some.',
    operationId: 'listTrendingTokens',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'token_search',
    title: 'Search tokens',
    description:
      'Search tokens by name, symbol or address. Anybody may give a token any name: go by its address.',
    operationId: 'searchTokens',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'token_info',
    title: 'Token info',
    description:
      'Get the pools of one token with their prices, and what the data provider tells of it.',
    operationId: 'getTokenInfo',
    scope: 'read',
    annotations: READS,
    budget: 'calls',
  },
  {
    name: 'agents_stop_all',
    title: 'Stop all agents',
    description:
      'Disable all trading agents of the user at once. Says for each what its stop does with its open orders and positions.',
    operationId: 'stopAllAgents',
    scope: 'trade',
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
    },
    budget: 'stops',
  },
];
