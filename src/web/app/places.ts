import { PAGES } from '../routes.ts';

/** A page that can be gone to by name, and by its keys where it has some. */
export interface Place {
  readonly name: string;
  readonly path: string;
  /** `g` and a letter, one after the other; empty for none. */
  readonly keys: string;
}

/** Pages of the search, in its order. */
export const PLACES: readonly Place[] = [
  { name: 'Home', path: PAGES.home, keys: 'g h' },
  { name: 'Markets', path: PAGES.markets, keys: 'g m' },
  { name: 'Agents', path: PAGES.agents, keys: 'g a' },
  { name: 'Portfolio', path: PAGES.portfolio, keys: 'g p' },
  { name: 'Wallet', path: PAGES.wallet, keys: 'g w' },
  { name: 'Deposit', path: PAGES.deposit, keys: '' },
  { name: 'Withdraw', path: PAGES.withdraw, keys: '' },
  { name: 'Swap and bridge', path: PAGES.swap, keys: '' },
  { name: 'Transfer to others or into the Safe', path: PAGES.transfer, keys: '' },
  { name: 'Tokens', path: PAGES.tokens, keys: '' },
  { name: 'Launch a token', path: PAGES.launch, keys: '' },
  { name: 'Agent registry', path: PAGES.registry, keys: '' },
  { name: 'Activity', path: PAGES.activity, keys: 'g y' },
  { name: 'Notifications', path: PAGES.notifications, keys: '' },
  { name: 'Confirmations', path: PAGES.confirmations, keys: '' },
  { name: 'API keys and assistants', path: PAGES.keys, keys: '' },
  { name: 'Settings', path: PAGES.settings, keys: 'g s' },
  { name: 'Security, sessions and export of keys', path: PAGES.security, keys: '' },
];
