import { isCashAccount } from '../../domain/cash.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { NotificationFacts } from '../../domain/notification.ts';
import { usdcMicros } from '../../domain/units.ts';

const MOVEMENT_KINDS = { deposit: 'deposit_booked', departure: 'money_departed' } as const;

/**
 * Returns what a posting says of money that came or left; null of any other. One account grows by
 * what the other shrinks: the user's and the world outside. Of a trade that is taken back its order
 * says so.
 */
export function movementFacts({
  entry: { kind, postings },
  transactionHash,
}: Extract<DomainEvent, { type: 'ledger.posted' }>): NotificationFacts | null {
  const asset = postings[0]?.asset;
  if (kind !== 'deposit' && kind !== 'departure' && kind !== 'taken_back') return null;
  if (asset === undefined || !isCashAccount(asset)) return null;
  const outside = postings.find(({ owner }) => owner === 'outside');
  if (outside === undefined) return null;
  const takenBack = outside.micros > 0 ? 'deposit_taken_back' : 'departure_taken_back';
  return {
    kind: kind === 'taken_back' ? takenBack : MOVEMENT_KINDS[kind],
    cashAccount: asset,
    usdc: usdcMicros(Math.max(0, ...postings.map(({ micros }) => micros))),
    transactionHash: transactionHash ?? null,
  };
}
