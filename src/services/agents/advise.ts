import { STALENESS } from '../../../config/limits/market-data.ts';
import type { Advice } from '../../../machines/agent-types.ts';
import { basisOf } from '../../domain/decision-basis.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import { judgedView, type HeldRun, type RoundView } from '../../domain/signal.ts';
import { decisionInputs, type InputLimits } from '../../domain/strategy/inputs.ts';
import type { StrategyRow } from '../../domain/strategy/strategy-row.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';

/**
 * Returns the ages at which a view has grown too old between its making and a decision. The streams
 * hold each source to its own limit; of the two oracle sources this takes the slower one's, as the
 * view does not say which spoke. Books age in wall time.
 */
export function viewLimits(clock: Pick<Clock, 'speed'>): InputLimits {
  return {
    oracleMs: STALENESS.venueOracleMs,
    exchangeMs: STALENESS.exchangeMs,
    inferenceMs: STALENESS.inference5mMs,
    bookMs: inWallTime(clock, STALENESS.bookMs),
  };
}

/** What a strategy was asked of a view. */
export type Asked =
  | {
      readonly kind: 'entry';
      readonly inferenceDifferenceMicros: number;
      readonly memory: HeldRun | null;
    }
  | { readonly kind: 'position' | 'bid'; readonly held: OutcomeIndex };

/** Puts a decision and what it was judged by together; `asked` is null where no strategy was. */
export type Advise = (
  row: StrategyRow,
  view: RoundView,
  decision: Advice['decision'],
  asked: Asked | null,
) => Advice;

/** Makes what puts a decision and what it was judged by together. */
export function createAdvise(clock: Pick<Clock, 'speed'>): Advise {
  const limits = viewLimits(clock);
  return (row, view, decision, asked) => ({
    strategy: row.strategy,
    decision,
    inputs: decisionInputs(view, limits),
    ...(asked === null ? {} : { basis: basisOf({ ...asked, view: judgedView(view) }) }),
    atMs: view.atMs,
  });
}
