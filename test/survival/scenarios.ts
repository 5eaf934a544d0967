import { ENDING } from './ending.ts';
import { FILLING } from './filling.ts';
import type { Scenario } from './findings.ts';
import { SERVICE } from './service.ts';
import { MARKET_DATA } from './market-data.ts';
import { SUBMITTING } from './submitting.ts';
import { VENUE_B } from './venue-b.ts';
import { VENUE_C } from './venue-c.ts';
import { VENUE_C_CHAIN } from './venue-c-chain.ts';

/** The scenario of every row. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...SUBMITTING,
  ...FILLING,
  ...ENDING,
  ...MARKET_DATA,
  ...SERVICE,
  ...VENUE_B,
  ...VENUE_C,
  ...VENUE_C_CHAIN,
};
