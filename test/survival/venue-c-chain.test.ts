import { describeRows } from './describe-rows.ts';
import { VENUE_C_CHAIN } from './venue-c-chain.ts';

/** Each has a node of its own, and lasts some seconds: `npm run sim -- survival` runs them all. */
const FEW = 8;

describeRows('chain 8453', VENUE_C_CHAIN, FEW);
