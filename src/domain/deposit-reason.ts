import type { DepositRecord } from './deposit.ts';

const PROBLEMS = {
  token_not_taken: 'The bridge does not take this token on that chain.',
  below_minimum: 'It is less than the least the bridge takes of this token.',
} as const;

/**
 * Says why a payment to a deposit address is not credited, or that the reason is not known, in a
 * sentence; null where there is nothing to explain. The bridge reports a failure by its state
 * alone: a reason is what its list of assets tells, and without one there, none is known.
 */
export function explainDeposit({
  state,
  problem,
}: Pick<DepositRecord, 'state' | 'problem'>): string | null {
  if (problem !== null)
    return state === 'failed'
      ? `${PROBLEMS[problem]} What was sent stays with the bridge.`
      : `${PROBLEMS[problem]} It will not be credited.`;
  if (state === 'failed')
    return 'The bridge reports that it failed and does not say why. What was sent stays with the bridge.';
  if (state === 'unproven')
    return 'The bridge says that it has paid, and Polygon does not show it. It is being looked into.';
  if (state === 'vanished')
    return 'The bridge no longer reports it: its own chain took the payment back.';
  return null;
}
