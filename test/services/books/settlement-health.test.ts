import { describe, expect, it } from 'vitest';
import { SETTLEMENT_BREAKER } from '../../../config/limits/risk.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type DecisionId, type IntentId } from '../../../src/domain/ids.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import {
  assertSettling,
  BREAKER_SENTENCES,
  brokenSinceMs,
  claimSettling,
  countSettlement,
  shutFor,
} from '../../../src/services/books/settlement-health.ts';
import { BREAKERS } from '../../../src/services/books/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { VENUE_A, VENUE_B } from '../../support/venue-ids.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

const { user, operator, coolFirstMs, probeMs } = SETTLEMENT_BREAKER;
const [ada, bob] = [aUserId(1), aUserId(2)];
const OF_AGENT: OrderIntent['origin'] = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_1'),
  purpose: 'entry',
};

const anEntry = (changes: Partial<OrderIntent> = {}): OrderIntent =>
  aSignedOrder({}, { origin: OF_AGENT, ...changes }).intent;

/** Trades that end one after the other in one moment. */
function settlements() {
  const store = createMemoryStore();
  const end = (intent: OrderIntent, hasFailed = true, atMs = T0) =>
    store.write((tx) => countSettlement(tx, intent, hasFailed, atMs));
  const fail = async (times: number, intent = anEntry()) => {
    for (let one = 0; one < times; one += 1) await end(intent);
  };
  const claim = (intent: OrderIntent) => store.write((tx) => claimSettling(tx, intent));
  const facts = () =>
    store
      .readJournal(0, 100)
      .flatMap(({ event }) =>
        event.type === 'settlement.broke' || event.type === 'settlement.healed'
          ? [`${event.type} ${event.scope} ${event.venue} ${event.userId}`]
          : [],
      );
  const check = (intent: OrderIntent) => () => assertSettling(store, intent);
  return { store, end, fail, claim, facts, check };
}

describe('trades that fail to settle', () => {
  it('hold the entries of agents of their user at their venue back, and say when the next is tried', async () => {
    const { store, fail, facts, check } = settlements();
    await fail(user.failures - 1);
    expect(facts()).toEqual([]);
    expect(check(anEntry())).not.toThrow();
    await fail(1);
    expect(facts()).toEqual([`settlement.broke user ${VENUE_A} ${ada}`]);
    expect(check(anEntry({ createdAtMs: T0 + 1_000 }))).toThrow(
      expect.objectContaining({
        code: 'agent_degraded',
        message: BREAKER_SENTENCES.user,
        retryable: true,
        retryAfterMs: coolFirstMs - 1_000,
      }) as Error,
    );
    const whose = { userId: ada, venue: VENUE_A };
    expect([
      brokenSinceMs(store, 'user', whose),
      brokenSinceMs(store, 'operator', whose),
      shutFor(store, 'user', whose, T0),
    ]).toEqual([T0, null, coolFirstMs]);
  });

  it.each<[string, Partial<OrderIntent>]>([
    ['of another user', { userId: bob }],
    ['at another venue', { venue: VENUE_B }],
    ['of a person', { origin: { kind: 'manual' } }],
    ['that sell', { side: 'sell' }],
    ['made when the pause is over', { createdAtMs: T0 + coolFirstMs }],
  ])('hold no orders back %s', async (_, changes) => {
    const { fail, check } = settlements();
    await fail(user.failures);
    expect(check(anEntry(changes))).not.toThrow();
  });

  it('of several users hold everybody back at that venue, once there are as many as the operator bears', async () => {
    const { fail, facts, check } = settlements();
    const each = user.failures - 1;
    const users = Math.ceil(operator.failures / each);
    for (let one = 0; one < users; one += 1)
      await fail(each, anEntry({ userId: aUserId(10 + one) }));
    expect(facts()).toEqual([`settlement.broke operator ${VENUE_A} ${aUserId(9 + users)}`]);
    expect(check(anEntry())).toThrow(BREAKER_SENTENCES.operator);
    expect(check(anEntry({ venue: VENUE_B }))).not.toThrow();
  });

  it('count beside those that settle: half of a user’s own have to fail', async () => {
    const { end, fail, facts } = settlements();
    for (let one = 0; one <= user.failures; one += 1) await end(anEntry(), false);
    await fail(user.failures);
    expect(facts()).toEqual([]);
    await fail(1);
    expect(facts()).toHaveLength(1);
  });
});

describe('the entry that is tried after the pause', () => {
  const probe = anEntry({ intentId: asId<IntentId>('int_probe'), createdAtMs: T0 + coolFirstMs });
  const later = anEntry({ createdAtMs: T0 + coolFirstMs });
  const broken = async () => {
    const all = settlements();
    await all.fail(user.failures);
    return all;
  };

  it('is one: the next waits for what became of it', async () => {
    const { claim, check } = await broken();
    await claim(probe);
    expect(check(later)).toThrow(expect.objectContaining({ retryAfterMs: probeMs }) as Error);
  });

  it.each<[string, Partial<OrderIntent>]>([
    ['a person’s order', { origin: { kind: 'manual' } }],
    ['a sale', { side: 'sell' }],
  ])('is not %s', async (_, changes) => {
    const { claim, check } = await broken();
    await claim({ ...probe, ...changes });
    expect(check(later)).not.toThrow();
  });

  it('leaves nothing behind while trades settle', async () => {
    const { store, claim } = settlements();
    await claim(probe);
    expect(store.range(BREAKERS)).toEqual([]);
  });

  it('lets entries go on when it settles, which is reported, and not when another user’s does', async () => {
    const { claim, end, check, facts } = await broken();
    await claim(probe);
    await end(anEntry(), false, T0 + coolFirstMs);
    expect(check(later)).toThrow();
    await end(probe, false, T0 + coolFirstMs);
    expect(check(later)).not.toThrow();
    expect(facts()).toEqual([
      `settlement.broke user ${VENUE_A} ${ada}`,
      `settlement.healed user ${VENUE_A} ${ada}`,
    ]);
  });

  it('has them wait twice as long when it fails too, which is nothing new', async () => {
    const { claim, end, check, facts } = await broken();
    await claim(probe);
    await end(probe, true, T0 + coolFirstMs);
    expect(check(later)).toThrow(
      expect.objectContaining({ retryAfterMs: 2 * coolFirstMs }) as Error,
    );
    expect(facts()).toHaveLength(1);
  });
});
