import type { Decision } from '../../../src/domain/agent.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import type { JudgedView } from '../../../src/domain/signal.ts';
import { byEachView } from '../../../src/domain/strategy/round-judge.ts';
import { strategyTable, type StrategyRow } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { enterWhenAll, windowCriterion } from '../../../src/domain/strategy/terms.ts';
import { priceTicks } from '../../../src/domain/units.ts';

/*
 * Strategies that read nothing but the time in the round: what they decide is the same however
 * long a start took to have prices again, so a run that was cut can come to the same end. They
 * enter Up early in a round.
 */
const WINDOW = { opensAfterMs: 30_000, closesAfterMs: 60_000 };
/** From here on, in ms of the round, what turns has turned. */
const TURNS_AT_MS = 70_000;

const early = (view: JudgedView): Decision => enterWhenAll(0, [windowCriterion(view, WINDOW)]);

function keep(held: OutcomeIndex): Decision {
  return { verdict: 'hold', outcome: held, criteria: [], reason: 'Held to the end.' };
}

function turning(view: JudgedView, held: OutcomeIndex): Decision {
  if (view.atMs - view.startsAtMs < TURNS_AT_MS) return keep(held);
  return { verdict: 'exit', outcome: held, criteria: [], reason: 'The time has come.' };
}

const shared = {
  agentId: 'btc_5min',
  rule: 'Of this test alone.',
  reads: [],
  window: WINDOW,
  judgeFor: () => byEachView(early),
} as const;
const bid = { kind: 'limit', price: priceTicks(4_900), endsAfterMs: 90_000 } as const;

const ROWS: readonly StrategyRow[] = [
  {
    ...shared,
    strategy: 'early_hold',
    order: { kind: 'market' },
    judgeExit: (_view, held) => keep(held),
  },
  { ...shared, strategy: 'early_turn', order: { kind: 'market' }, judgeExit: turning },
  {
    ...shared,
    strategy: 'bid_stays',
    order: { ...bid, judge: (_view, outcome) => keep(outcome) },
    judgeExit: (_view, held) => keep(held),
  },
  {
    ...shared,
    strategy: 'bid_taken_back',
    order: { ...bid, judge: turning },
    judgeExit: (_view, held) => keep(held),
  },
];

/** The product's strategies and these. */
export const TIMED_STRATEGIES = strategyTable([...STRATEGIES.rows, ...ROWS]);
