import { watchUser } from '../../support/watched-users.ts';
import {
  assert,
  asyncProperty,
  array,
  constantFrom,
  integer,
  oneof,
  record,
  constant,
  boolean,
  type Arbitrary,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { ORDERS, ORDER_IDS } from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aMarketSell } from '../../support/builders.ts';
import type { SettlementScript, SubmitFault } from '../../support/fakes/fake-venue.ts';
import {
  aWorld,
  brokenLaws,
  ordersOf,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';

type Action =
  | {
      readonly kind: 'place';
      readonly what: 'buy' | 'rest' | 'sell';
      readonly market: 1 | 2;
      readonly micros: number;
      readonly faults: readonly SubmitFault[];
    }
  | { readonly kind: 'settlement'; readonly script: SettlementScript }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'trade'; readonly pick: number; readonly shares: number }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'end'; readonly pick: number }
  | { readonly kind: 'channel'; readonly isMute: boolean }
  | { readonly kind: 'reads'; readonly areDown: boolean }
  | { readonly kind: 'break' }
  | { readonly kind: 'crash'; readonly kept: number; readonly downMs: number };

const faults: Arbitrary<SubmitFault> = oneof(
  record({ kind: constant('late-ack' as const), ms: integer({ min: 0, max: 15_000 }) }),
  constant({ kind: 'lost-ack' as const }),
  record({ kind: constant('late-book' as const), ms: integer({ min: 0, max: 25_000 }) }),
  constant({ kind: 'refused-silently' as const }),
  constant({ kind: 'hangs' as const }),
  record({ kind: constant('deferred' as const), retryAfterMs: integer({ min: 0, max: 8_000 }) }),
  constant({ kind: 'rejected' as const, reason: 'not enough balance / allowance' }),
  record({ kind: constant('delayed' as const), ms: integer({ min: 0, max: 3_000 }) }),
  record({ kind: constant('trade-before-response' as const), ms: integer({ min: 0, max: 7_000 }) }),
  constant({ kind: 'duplicate' as const }),
);

const settlements: Arbitrary<SettlementScript> = constantFrom<SettlementScript>(
  [
    { afterMs: 500, word: 'mined' },
    { afterMs: 4_000, word: 'confirmed' },
  ],
  [{ afterMs: 500, word: 'failed' }],
  [
    { afterMs: 0, word: 'mined' },
    { afterMs: 900, word: 'retrying' },
    { afterMs: 2_000, word: 'mined' },
    { afterMs: 9_000, word: 'confirmed' },
  ],
  [
    { afterMs: 2_000, word: 'retrying' },
    { afterMs: 6_000, word: 'failed' },
  ],
  [{ afterMs: 0, word: 'confirmed' }],
);

const actions: Arbitrary<Action> = oneof(
  {
    weight: 5,
    arbitrary: record({
      kind: constant('place' as const),
      what: constantFrom('buy' as const, 'rest' as const, 'sell' as const),
      market: constantFrom(1 as const, 2 as const),
      micros: integer({ min: 5_000_000, max: 40_000_000 }),
      faults: array(faults, { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: record({ kind: constant('settlement' as const), script: settlements }) },
  {
    weight: 4,
    arbitrary: record({ kind: constant('pass' as const), ms: integer({ min: 0, max: 12_000 }) }),
  },
  {
    weight: 2,
    arbitrary: record({
      kind: constant('trade' as const),
      pick: integer({ min: 0, max: 9 }),
      shares: integer({ min: 1, max: 10_000_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: record({ kind: constant('cancel' as const), pick: integer({ min: 0, max: 9 }) }),
  },
  {
    weight: 1,
    arbitrary: record({ kind: constant('end' as const), pick: integer({ min: 0, max: 9 }) }),
  },
  { weight: 1, arbitrary: record({ kind: constant('channel' as const), isMute: boolean() }) },
  { weight: 1, arbitrary: record({ kind: constant('reads' as const), areDown: boolean() }) },
  { weight: 1, arbitrary: constant({ kind: 'break' as const }) },
  {
    weight: 2,
    arbitrary: record({
      kind: constant('crash' as const),
      kept: integer({ min: 0, max: 2 }),
      downMs: constantFrom(0, 1_000, 40_000),
    }),
  },
);

/** Plays the actions, lets everything come to rest, and gives what is left. */
async function play(
  script: readonly Action[],
): Promise<{ readonly world: World; readonly life: Life; readonly store: MemoryStore }> {
  const world = aWorld(60_000_000);
  let store = createMemoryStore();
  let lives = 1;
  let life = world.live(store, { seed: 'life-1' });
  await life.funding.syncDeposits(world.user);
  for (const action of script) {
    if (action.kind === 'crash') {
      life.die();
      await life.orders.stop();
      store = store.crash({ keptCommits: action.kept });
      await world.clock.advance(action.downMs);
      lives += 1;
      life = world.live(store, { seed: `life-${lives}` });
      await life.orders.recover();
      watchUser(life, world.user);
    } else {
      await act(world, life, action);
    }
  }
  world.venue.isChannelMute = false;
  world.venue.areReadsDown = false;
  world.venue.submitFaults.length = 0;
  await world.clock.advance(300_000);
  return { world, life, store };
}

async function act(
  { venue, clock, user }: World,
  life: Life,
  action: Exclude<Action, { kind: 'crash' }>,
): Promise<void> {
  switch (action.kind) {
    case 'place':
      venue.submitFaults.splice(0, venue.submitFaults.length, ...action.faults);
      life.orders.place(user, requestOf(action)).catch(refusal);
      await clock.settle();
      return;
    case 'settlement':
      venue.settlements.push(action.script);
      return;
    case 'pass':
      return clock.advance(action.ms);
    case 'trade': {
      const [orderId, order] = pickLive(venue, action.pick) ?? [];
      if (orderId === undefined || order === undefined) return;
      venue.trade(
        orderId,
        Math.min(action.shares, order.intent.receiveMicros - order.matchedShares),
      );
      return clock.settle();
    }
    case 'cancel': {
      const open = life.orders.listOpen(user);
      const chosen = open[action.pick % Math.max(1, open.length)];
      if (chosen !== undefined) life.orders.cancel(user, chosen.intent.intentId).catch(refusal);
      return clock.settle();
    }
    case 'end': {
      const [orderId] = pickLive(venue, action.pick) ?? [];
      if (orderId !== undefined) venue.end(orderId, 'cancelled', 'by the venue');
      return clock.settle();
    }
    case 'channel':
      venue.isChannelMute = action.isMute;
      return;
    case 'reads':
      venue.areReadsDown = action.areDown;
      return;
    case 'break':
      venue.breakChannels();
      return clock.settle();
  }
}

/** Orders are refused for good reasons, all of them with a code. */
function refusal(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

function pickLive(venue: World['venue'], pick: number) {
  const resting = [...venue.orders].filter(
    ([, { status, intent }]) => status === 'live' && intent.life === 'rests',
  );
  return resting[pick % Math.max(1, resting.length)];
}

function requestOf({ what, market, micros }: Extract<Action, { kind: 'place' }>) {
  const marketId = aMarketId(market);
  if (what === 'buy') return aMarketBuy({ marketId, amount: { unit: 'usdc', micros } });
  return what === 'rest'
    ? aLimitBuy({ marketId, amount: { unit: 'shares', micros } })
    : aMarketSell(Math.floor(micros / 1_000_000), { marketId });
}

describe('random interleavings of answers, fills, losses and crashes', () => {
  it('L1, L2, L3, L4, L5, L9: we and the venue agree in the end, whatever happened in between', async () => {
    await assert(
      asyncProperty(array(actions, { minLength: 3, maxLength: 30 }), async (script) => {
        const { world, life, store } = await play(script);
        const { venue, user } = world;
        expect(brokenLaws(store, user)).toEqual([]);
        for (const bodies of venue.bodies.values()) expect(new Set(bodies).size).toBe(1);
        for (const [orderId, order] of venue.orders) {
          const ref = store.get(ORDER_IDS, [orderId])?.value;
          expect(ref).toBeDefined();
          const kept = store.get(ORDERS, [user, ref?.intentId ?? ''])?.value;
          expect({
            filledShares: kept?.filledShares,
            isOver: kept === undefined || isTerminal(kept.state),
          }).toEqual({ filledShares: order.matchedShares, isOver: order.status !== 'live' });
          // Called rejected is only what the venue never had.
          expect(kept?.state).not.toBe('rejected');
        }
        const open = ordersOf(store).filter(({ state }) => !isTerminal(state));
        expect(open.every(({ state }) => state === 'live')).toBe(true);
        const cash = life.portfolio.cash(user, 'usdc:safe');
        expect(cash).toMatchObject({
          settled: await venue.collateral(user),
          provisional: 0,
          reserved: open.reduce((sum, { reserved }) => sum + reserved.usdc, 0),
        });
        expect(cash.available).toBe(cash.settled - cash.reserved);
        expect(
          ordersOf(store).filter(
            ({ state, reserved }) =>
              isTerminal(state) && (reserved.usdc !== 0 || reserved.shares !== 0),
          ),
        ).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
