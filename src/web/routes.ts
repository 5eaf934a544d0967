/**
 * Paths of the app's pages. The daemon answers each with the app (`src/http/web-app.ts`); the
 * interface asks for the six agents' paths word for word.
 */
export const PAGES = {
  home: '/',
  signIn: '/sign-in',
  signInGoogle: '/sign-in/google',
  signInSocial: '/sign-in/social',
  welcome: '/welcome',
  agents: '/agents',
  btc5min: '/btc5min-trading',
  eth15min: '/eth15min-trading',
  btc15min: '/btc15min-trading',
  sol15min: '/sol15min-trading',
  farmingA: '/airdrop-farming-trading',
  farmingB: '/venue-b-farming-trading',
  markets: '/markets',
  market: '/markets/:venue/:marketId',
  portfolio: '/portfolio',
  wallet: '/wallet',
  deposit: '/wallet/deposit',
  withdraw: '/wallet/withdraw',
  swap: '/wallet/swap',
  transfer: '/wallet/transfer',
  tokens: '/wallet/tokens',
  token: '/wallet/tokens/:chain/:token',
  launch: '/wallet/launch',
  registry: '/wallet/registry',
  activity: '/activity',
  receipt: '/activity/receipts/:agent/:decisionId',
  trades: '/activity/trades',
  notifications: '/activity/notifications',
  confirm: '/confirm',
  confirmations: '/confirmations',
  keys: '/keys',
  settings: '/settings',
  security: '/settings/security',
  about: '/about',
} as const;

/** Reports whether a path is one of the app's pages, with or without its trailing slash. */
export function isPagePath(path: string): boolean {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return PATTERNS.some((pattern) => pattern.test(trimmed));
}

const PATTERNS = Object.values(PAGES).map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
);

/** Path of an agent's page by the agent's id. */
export const AGENT_PAGES: Readonly<Record<string, string>> = {
  btc_5min: PAGES.btc5min,
  eth_15min: PAGES.eth15min,
  btc_15min: PAGES.btc15min,
  sol_15min: PAGES.sol15min,
  venue_a_farming: PAGES.farmingA,
  venue_b_farming: PAGES.farmingB,
};

/** Path of a market's page. */
export function marketPath(venue: string, marketId: string): string {
  return `/markets/${venue}/${encodeURIComponent(marketId)}`;
}

/** Path and query of the page of one's own orders and fills in one market. */
export function tradesPath(venue: string, marketId: string): string {
  return `${PAGES.trades}?venue=${venue}&market=${encodeURIComponent(marketId)}`;
}

/** Path and query of the page that shows one order an assistant put forward. */
export function confirmPath(confirmationId: string): string {
  return `${PAGES.confirm}?order=${encodeURIComponent(confirmationId)}`;
}

/** Path of a token's page. */
export function tokenPath(chain: string, token: string): string {
  return `/wallet/tokens/${chain}/${encodeURIComponent(token)}`;
}

/** The same by the market alone, whose venue is not known. */
export function marketTradesPath(marketId: string): string {
  return `${PAGES.trades}?market=${encodeURIComponent(marketId)}`;
}
