import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { LookupOutcome } from '../../../src/ports/order-gateway.ts';
import { failureOf } from '../../../src/services/books/fill-booking.ts';
import { fillsLearned } from '../../../src/services/books/stated-fills.ts';
import { FILLS } from '../../../src/services/books/tables.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aUserId } from '../../support/builders.ts';
import { aFill } from '../../support/worlds/money-records.ts';
import { aSignedOrder, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const theFill = (tradeId: string, part: Partial<FillRecord> = {}): FillRecord =>
  aFill({ userId: USER, orderId: ORDER_ID, tradeId: asId(tradeId), ...part });
const KNOWN = [
  theFill('t1'),
  theFill('t2'),
  theFill('done', { settlement: 'settled' }),
  theFill('other', { orderId: asId('0x02') }),
  theFill('theirs', { userId: aUserId(2) }),
];
const found = (status: Parameters<typeof aWord>[0], fills?: readonly FillRecord[]) =>
  ({
    kind: 'found',
    order: aWord(status),
    ...(fills === undefined ? {} : { fills: fills.map(failureOf) }),
  }) as LookupOutcome; // a fill as stated has the shape of its failure

let store: MemoryStore;
beforeEach(async () => {
  store = createMemoryStore();
  await store.write((tx) =>
    KNOWN.forEach((fill) => tx.put(FILLS, [fill.userId, fill.orderId, fill.tradeId], fill)),
  );
});

const learned = (outcome: LookupOutcome, attempt = anAttempt(ORDER_ID)) =>
  fillsLearned(store, { intent: aSignedOrder().intent, attempt }, outcome).map(
    ({ tradeId, word }) => `${tradeId} ${word}`,
  );

describe('what a lookup teaches of fills', () => {
  it('L3: is the failure of all that were not final, where the order never landed', () => {
    const absent = (proof: string | null) => ({ kind: 'absent', proof }) as LookupOutcome;
    expect([learned(absent('proven')), learned(absent(null))]).toEqual([
      ['t1 failed', 't2 failed'],
      [],
    ]);
    const unnamed = anAttempt(String(ORDER_ID), { orderId: null });
    expect(learned(absent('proven'), unnamed)).toEqual(['t1 failed', 't2 failed']);
    const named = anAttempt('ours', { orderId: ORDER_ID });
    expect(learned(absent('proven'), named)).toEqual(['t1 failed', 't2 failed']);
  });

  it('is what it states, and the failure of what it states no more once the order has ended', () => {
    const stated = [theFill('t2'), theFill('t3')];
    expect(learned(found('live', stated))).toEqual(['t2 failed', 't3 failed']);
    for (const status of ['matched', 'unmatched', 'cancelled', 'expired'] as const)
      expect(learned(found(status, stated))).toEqual(['t1 failed', 't2 failed', 't3 failed']);
  });

  it('is nothing where fills come by a list, or the venue was not reached', () => {
    expect([
      learned(found('cancelled')),
      learned({ kind: 'unreachable' } as LookupOutcome),
    ]).toEqual([[], []]);
  });
});
