import type { AgentId } from '../ids.ts';
import { strategyTable, type EntryOrder, type StrategyRow } from './strategy-row.ts';
import { CONFIRMED_LEAD_RULE, confirmedLead } from './confirmed-lead.ts';
import { judgeExit } from './exit.ts';
import {
  FIFTEEN_MIN_UP_DOWN_RULE,
  FIFTEEN_MIN_UP_ONLY_RULE,
  FIFTEEN_MIN_WINDOW,
  fifteenMinUpDown,
  fifteenMinUpOnly,
} from './fifteen-min.ts';
import { INFERENCE_STRIKE_RULE, inferenceStrike } from './inference-strike.ts';
import { FIVE_MIN_LIMIT_WINDOW, LIMIT_ENDS_AFTER_MS, LIMIT_PRICE } from './limit-60.ts';
import { LIMITER_RULE, limiter } from './limiter.ts';
import { MAX_RULE, max } from './max.ts';
import { judgeResting } from './resting.ts';
import { byEachView } from './round-judge.ts';
import { priceTicks } from '../units.ts';
import { ASK_MAXIMUM_TICKS } from './terms.ts';
import { FIVE_MIN_MARKET_WINDOW, UP_DOWN_RULE, upDown5Min } from './up-down-5min.ts';

/**
 * What the ask may be at most is what is paid at most: a thin book must not lead an order further.
 */
const MARKET: EntryOrder = { kind: 'market', worstPrice: priceTicks(ASK_MAXIMUM_TICKS) };
const LIMIT_60: EntryOrder = {
  kind: 'limit',
  price: LIMIT_PRICE,
  endsAfterMs: LIMIT_ENDS_AFTER_MS,
  judge: judgeResting(LIMIT_PRICE),
};

const ON_MARKET = {
  agentId: 'btc_5min',
  reads: [],
  order: MARKET,
  window: FIVE_MIN_MARKET_WINDOW,
  judgeExit,
} as const;
const AT_LIMIT = {
  agentId: 'btc_5min',
  reads: [],
  order: LIMIT_60,
  window: FIVE_MIN_LIMIT_WINDOW,
  judgeExit,
} as const;

/** The 15-minute agents have the same two strategies. */
function quarterRows(agentId: AgentId): readonly StrategyRow[] {
  const row = { agentId, reads: [], order: MARKET, window: FIFTEEN_MIN_WINDOW, judgeExit };
  return [
    {
      ...row,
      strategy: 'up_down',
      rule: FIFTEEN_MIN_UP_DOWN_RULE,
      judgeFor: () => byEachView(fifteenMinUpDown),
    },
    {
      ...row,
      strategy: 'up_only',
      rule: FIFTEEN_MIN_UP_ONLY_RULE,
      judgeFor: () => byEachView(fifteenMinUpOnly),
    },
  ];
}

/**
 * Every strategy of every agent (spec.md, BTC 5-minute and 15-minute strategies). A new one is one
 * pure file, one row here and its tests: ids, settings, the interface's description and the signal
 * all follow the rows.
 */
export const STRATEGIES = strategyTable([
  {
    ...ON_MARKET,
    strategy: 'up_down',
    rule: UP_DOWN_RULE,
    reads: ['inferenceDifferencePercent'],
    judgeFor: ({ inferenceDifferenceMicros }) =>
      byEachView((view) => upDown5Min({ inferenceDifferenceMicros }, view)),
  },
  {
    ...ON_MARKET,
    strategy: 'confirmed_lead',
    rule: CONFIRMED_LEAD_RULE,
    judgeFor: () => byEachView(confirmedLead),
  },
  { ...AT_LIMIT, strategy: 'limiter', rule: LIMITER_RULE, judgeFor: () => byEachView(limiter) },
  {
    ...AT_LIMIT,
    strategy: 'inference_strike',
    rule: INFERENCE_STRIKE_RULE,
    judgeFor: (_settings, memory) => inferenceStrike(memory),
  },
  {
    ...AT_LIMIT,
    strategy: 'max',
    rule: MAX_RULE,
    judgeFor: (_settings, memory) => max(inferenceStrike(memory)),
  },
  ...quarterRows('eth_15min'),
  ...quarterRows('btc_15min'),
  ...quarterRows('sol_15min'),
]);
