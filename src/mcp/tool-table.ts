import type { Tool } from './tool.ts';
import { ACCOUNT_TOOLS } from './tools/account.ts';
import { AGENT_TOOLS } from './tools/agents.ts';
import { MARKET_TOOLS } from './tools/markets.ts';
import { TRADING_TOOLS } from './tools/trading.ts';
import { WALLET_TOOLS } from './tools/wallets.ts';

/** Every tool, in the order in which it is listed. */
export const TOOLS: readonly Tool[] = [
  ...MARKET_TOOLS,
  ...TRADING_TOOLS,
  ...ACCOUNT_TOOLS,
  ...WALLET_TOOLS,
  ...AGENT_TOOLS,
];
