import type { MetricSpec } from './metric-spec.ts';
import { AGENT_METRICS } from './table/agents.ts';
import { MARKET_DATA_METRICS } from './table/market-data.ts';
import { MONEY_METRICS } from './table/money.ts';
import { ORDER_METRICS } from './table/orders.ts';
import { PEOPLE_METRICS } from './table/people.ts';
import { PROCESS_METRICS } from './table/process.ts';
import { SHARD_METRICS } from './table/shard.ts';
import { VENUE_METRICS } from './table/venues.ts';

/**
 * Every metric of the service: what is not here cannot be counted. Dashboards and alert rules name
 * these.
 */
export const METRICS = {
  ...ORDER_METRICS,
  ...AGENT_METRICS,
  ...MARKET_DATA_METRICS,
  ...VENUE_METRICS,
  ...MONEY_METRICS,
  ...PEOPLE_METRICS,
  ...PROCESS_METRICS,
  ...SHARD_METRICS,
} as const satisfies Readonly<Record<string, MetricSpec>>;
