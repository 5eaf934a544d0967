import type { Criterion, Decision } from './agent.ts';
import { DEGRADED_CODES } from './degraded.ts';

/** Criteria by name, as receipts show them, less the direction some of them end with. */
const CRITERIA = [
  'inputs',
  'time in round',
  'signal strength',
  'exchange and oracle apart',
  'exchange move',
  'inference direction',
  'inference difference',
  'evaluation windows in a row',
  'lead',
  'predicted minus baseline price',
  'age of the prediction',
  'time left',
  'sale per share after fee',
  'ask',
  'best bid',
  'book',
  'spread',
  'probability',
  'category',
  'market',
  'first buy',
  'volume',
  'liquidity',
  'time to the end',
  'risk assessment',
  'agent',
  'account',
  'open positions',
  'room below the exposure cap',
  'room below the daily loss cap',
  'cash',
  'largest position',
  'life of the bid',
];

/**
 * What decisions are counted by: the first criterion that failed, `none` where none did, `other`
 * for one that is not listed here.
 */
export const DECISION_REASONS: readonly string[] = [
  'none',
  ...CRITERIA.map(labelOf),
  ...DEGRADED_CODES,
  'other',
];

/**
 * Returns the label of a decision. Of a strategy that enters by either of two, what failed in the
 * one that did not enter is no reason.
 */
export function decisionReason({
  verdict,
  criteria,
}: Pick<Decision, 'verdict' | 'criteria'>): string {
  if (verdict === 'enter') return 'none';
  const isEntered = criteria.some(({ name, passed }) => passed && SIGNAL.test(name));
  const failed = criteria.find(
    ({ name, passed }) => !passed && !SIGNAL.test(name) && !(isEntered && PART.test(name)),
  );
  if (failed === undefined) return 'none';
  const label = labelOf(plainName(failed));
  return DECISION_REASONS.includes(label) ? label : 'other';
}

/** Of two strategies whether each entered. */
const SIGNAL = / signal$/;
/** The strategy before a criterion of one of two. */
const PART = /^[A-Za-z ]+: /;

function plainName({ name }: Criterion): string {
  return name.replace(PART, '').replace(/ (?:Up|Down|none)$/, '');
}

function labelOf(name: string): string {
  return name.replaceAll(' ', '_');
}
