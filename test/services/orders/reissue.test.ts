import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type AgentId, type OrderId } from '../../../src/domain/ids.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { createVenues, type TradedVenue } from '../../../src/services/venues.ts';
import type { Store, StoreWriter } from '../../../src/ports/store.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { CLOSED_BREAKER } from '../../../src/domain/settlement-breaker.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { OrderSigner } from '../../../src/ports/order-signer.ts';
import {
  AGENT_MARKETS,
  ORDERS,
  TRADED_MARKETS,
  VENUE_ACCESS_STATES,
} from '../../../src/services/books/tables.ts';
import { reissuing } from '../../../src/services/orders/reissue.ts';
import { writeStop } from '../../../src/services/orders/stop-check.ts';
import { anAgentsWorld, enableAgent } from '../../support/worlds/agents-world.ts';
import { anAttempt } from '../../support/attempts.ts';
import {
  aLimitBuy,
  aMarket,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  T0,
} from '../../support/builders.ts';
import { accessLike } from '../../support/closed-access.ts';
import { onOneVenue } from '../../support/traded-venues.ts';
import { VENUE_A_TERMS } from '../../support/venue-a-terms.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';
import type { SubmitFault } from '../../support/fakes/fake-venue.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';

const REFUSED = { kind: 'reissue', reason: 'order_version_mismatch' } as const;
const attemptsOf = (store: Store) =>
  ordersOf(store).map(({ attempts }) =>
    attempts.map(({ sends, ended }) => ({ sends, how: ended?.how, proof: ended?.proof })),
  );
const NEVER = { sends: 1, how: 'never', proof: 'order_version_mismatch' };

/** A request whose first submissions meet these faults, and what came of it. */
async function placed(
  faults: readonly SubmitFault[],
  request = aLimitBuy({ idempotencyKey: 'key-1' }),
) {
  const made = await aFundedLife();
  made.world.venue.submitFaults.push(...faults);
  const record = await during(made.world, made.life.orders.place(made.world.user, request));
  return { ...made, record };
}

const again = (world: World, life: Life) =>
  during(world, life.orders.place(world.user, aLimitBuy({ idempotencyKey: 'key-1' })));

describe('an intent the venue refuses for the version of its format', () => {
  it('L1: is signed once more when it is proven that the first attempt can never land: another id, the same order, and one at the venue', async () => {
    const { world, store, record, life } = await placed([REFUSED]);
    expect(attemptsOf(store)).toEqual([[NEVER, { sends: 1, how: undefined, proof: undefined }]]);
    const [first, second] = record.attempts;
    const signed = life.bus.entries.flatMap(({ event }) =>
      event.type === 'order.signed' ? [event] : [],
    );
    expect([
      record.state,
      record.reason,
      signed.map(({ attemptId, follows }) => [attemptId, follows]),
      [...world.venue.orders.keys()],
      brokenLaws(store, world.user),
    ]).toEqual([
      'live',
      null,
      [
        [first?.attemptId, undefined],
        [second?.attemptId, { attemptId: first?.attemptId, proof: 'order_version_mismatch' }],
      ],
      [second?.orderId],
      [],
    ]);
    expect(first?.attemptId).not.toBe(second?.attemptId);
  });

  it('is found by the names of both its attempts', async () => {
    const { world, life, record } = await placed([REFUSED]);
    expect(
      record.attempts.map(
        ({ attemptId }) => life.orders.get(world.user, asId<OrderId>(attemptId))?.intent.intentId,
      ),
    ).toEqual([record.intent.intentId, record.intent.intentId]);
  });

  it('L5: sets aside in one commit what the first gave back, so that the last cent may be spent and nothing more', async () => {
    const { world, life, store, record } = await placed(
      [REFUSED],
      aLimitBuy({ amount: { unit: 'shares', micros: 200_000_000 } }),
    );
    expect([record.state, record.reserved.usdc, brokenLaws(store, world.user)]).toEqual([
      'live',
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
      [],
    ]);
  });

  it('is given to the caller who asks again under the same key, and no other is made', async () => {
    const { world, life, store, record } = await placed([REFUSED]);
    expect((await again(world, life)).intent.intentId).toBe(record.intent.intentId);
    expect(attemptsOf(store).map(({ length }) => length)).toEqual([2]);
  });

  it('is taken back by its newest attempt', async () => {
    const { world, life, record } = await placed([REFUSED]);
    expect(
      await during(world, life.orders.cancel(world.user, record.intent.intentId)),
    ).toMatchObject({ state: 'cancelled' });
    expect([world.venue.cancels, life.portfolio.cash(world.user, 'usdc:safe').reserved]).toEqual([
      [record.attempts[1]?.orderId],
      0,
    ]);
  });

  it('is taken back when the request comes while the second is being signed', async () => {
    const kept = createMemoryStore();
    const world = aWorld();
    let request: Promise<unknown> | null = null;
    let isRequested = false;
    const store: Store = {
      ...kept,
      write(change) {
        const written = kept.write(change);
        const [first] = ordersOf(kept);
        if (isRequested || first?.state !== 'signed' || world.venue.bodies.size === 0)
          return written;
        isRequested = true;
        request = life.orders.cancel(world.user, first.intent.intentId);
        return written;
      },
    };
    const life = world.live(store);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    world.venue.submitFaults.push(REFUSED);
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(1_000);
    await request;
    expect(ordersOf(kept).map(({ state, cancelWanted }) => [state, cancelWanted])).toEqual([
      ['cancelled', true],
    ]);
  });

  it('is not signed a third time: the second refusal is the answer', async () => {
    const { world, life, store, record } = await placed([REFUSED, REFUSED]);
    expect([
      record.state,
      attemptsOf(store),
      world.venue.orders.size,
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
    ]).toEqual(['rejected', [[NEVER, NEVER]], 0, 0]);
    expect((await again(world, life)).intent.intentId).toBe(record.intent.intentId);
  });

  it('ends with what was proven where it cannot be made anew, and gives back what it set aside', async () => {
    let prepared = 0;
    const closing = (venue: TradedVenue): TradedVenue => ({
      ...venue,
      signer: {
        ...venue.signer,
        prepare(draft) {
          prepared += 1;
          if (prepared > 1) throw new AppError('market_closed', 'the market is decided');
          return venue.signer.prepare?.(draft) ?? null;
        },
      },
    });
    const { world, life, store } = await aFundedLife(undefined, {
      venues: (all) => createVenues(all.map(closing)),
    });
    world.venue.submitFaults.push(REFUSED);
    const record = await during(world, life.orders.place(world.user, aLimitBuy()));
    expect([
      record.state,
      record.reason,
      attemptsOf(store),
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
    ]).toEqual(['rejected', 'order_version_mismatch', [[NEVER]], 0]);
  });

  it('L2: is not signed once more while the first is unknown: a refusal of the second copy says nothing of the first, whose bytes go again', async () => {
    const { world, store } = await placed([{ kind: 'refused-silently' }, REFUSED]);
    await world.clock.advance(120_000);
    expect([ordersOf(store).map(({ state }) => state), attemptsOf(store)]).toEqual([
      ['live'],
      [[{ sends: 3, how: undefined, proof: undefined }]],
    ]);
  });

  it('L6: is not signed once more after a stop', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ ...REFUSED, ms: 500 });
    const placing = life.orders.place(world.user, aLimitBuy());
    await world.clock.advance(100);
    await life.orders.setStop({ kind: 'all' }, true, 'alarm', 'keep');
    const record = await during(world, placing);
    expect([record.state, attemptsOf(store)]).toEqual(['rejected', [[NEVER]]]);
  });

  it('L9: is asked about by its new id when the process dies between the signature and the answer', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push(REFUSED, { kind: 'hangs' });
    void life.orders.place(world.user, aLimitBuy()).catch(() => undefined);
    await world.clock.advance(1_000);
    life.die();
    const next = world.live(store.crash());
    await next.orders.recover();
    await world.clock.advance(120_000);
    expect(ordersOf(next.store).map(({ state }) => state)).toEqual([
      expect.stringMatching(/live|rejected/),
    ]);
    expect([world.venue.orders.size <= 1, brokenLaws(next.store, world.user)]).toEqual([true, []]);
    await next.orders.stop();
  });

  it('a sale is signed once more too', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    world.venue.submitFaults.push(REFUSED);
    expect((await during(world, life.orders.place(world.user, aMarketSell(5)))).state).toBe(
      'filled',
    );
  });

  it('L7: of an agent stays its one entry', async () => {
    const { world, store, life } = await anAgentsWorld(1_000_000_000);
    await enableAgent(life, world.user);
    const agentId: AgentId = 'btc_5min';
    world.venue.submitFaults.push(REFUSED);
    const record = await during(
      world,
      life.orders.place(
        world.user,
        aMarketBuy({
          origin: { kind: 'agent', agentId, decisionId: asId('dec_1'), purpose: 'entry' },
        }),
      ),
    );
    await world.clock.advance(10_000);
    expect(store.get(AGENT_MARKETS, [world.user, agentId, aMarketId(1)])?.value.intentId).toBe(
      record.intent.intentId,
    );
    await expect(
      during(
        world,
        life.orders.place(
          world.user,
          aMarketBuy({
            origin: { kind: 'agent', agentId, decisionId: asId('dec_2'), purpose: 'entry' },
          }),
        ),
      ),
    ).rejects.toMatchObject({ code: 'already_traded' });
    expect([
      life.orders.get(world.user, record.intent.intentId)?.state,
      brokenLaws(store, world.user),
    ]).toEqual(['filled', []]);
  });
});

describe('what signs an intent once more', () => {
  const DEAD = { how: 'never', proof: 'its block is past', atMs: T0 } as const;
  const FIRST = anAttempt('0x01', { lastSentAtMs: T0 });
  const order = aSignedOrder({ attempts: [FIRST] });
  /** The order as the proof leaves it where no other attempt follows. */
  const refused = aSignedOrder({
    attempts: [{ ...FIRST, ended: DEAD }],
    state: 'rejected',
    reason: DEAD.proof,
    reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
  });
  const stopped = (tx: StoreWriter) =>
    void writeStop(tx, {
      scope: { kind: 'all' },
      stopped: true,
      reason: 'alarm',
      policy: 'keep',
      atMs: T0,
    });
  const turnedAway = (tx: StoreWriter) => {
    const pause = { ...CLOSED_BREAKER, openedAtMs: T0, coolMs: 60_000 };
    tx.put(VENUE_ACCESS_STATES, [VENUE_A], accessLike(pause));
  };

  /** Signs the order once more, if it may; changes before, and while it is prepared, are given. */
  async function signedAgain({
    record = order,
    before = () => undefined,
    meanwhile = () => undefined,
    folded = refused,
    atMs = T0 + 1_000,
    prepare,
    attemptsMaximum = 2,
  }: {
    readonly record?: OrderRecord;
    readonly before?: (tx: StoreWriter) => void;
    readonly meanwhile?: (tx: StoreWriter) => void;
    readonly folded?: OrderRecord;
    readonly atMs?: number;
    /** Null where the venue prepares nothing. */
    readonly prepare?: OrderSigner['prepare'] | null;
    readonly attemptsMaximum?: number;
  }) {
    const store = createMemoryStore();
    let prepared = 0;
    const venues = onOneVenue({
      traits: { ...VENUE_A_TERMS.traits, attemptsMaximum },
      signer: {
        ...(prepare === null
          ? {}
          : { prepare: prepare ?? (() => ((prepared += 1), { salt: prepared })) }),
        sign: (_intent, extra) => {
          const { attemptId, orderId, body } = anAttempt('0x02');
          return { attemptId, orderId, body, extra };
        },
      },
    });
    await store.write((tx) => {
      tx.put(ORDERS, [record.intent.userId, record.intent.intentId], record);
      tx.put(TRADED_MARKETS, [record.intent.marketId], aMarket(1));
      before(tx);
    });
    const next = await reissuing({ store, venues }, record.intent, atMs);
    await store.write(meanwhile);
    const after = await store.write((tx) => {
      const amended = next?.amend?.(tx, folded) ?? folded;
      next?.add(tx, amended);
      return amended;
    });
    const facts = store
      .readJournal(0, 100)
      .flatMap(({ event }) => (event.type === 'order.signed' ? [event] : []));
    return { after, facts, prepared };
  }

  it('L1, L5: gives the order its second attempt, with what was prepared for it, what it has set aside, and the fact', async () => {
    const { userId, intentId } = order.intent;
    const second = anAttempt('0x02', { extra: { salt: 1 }, lastSentAtMs: T0 + 1_000 });
    const { after, facts } = await signedAgain({});
    expect(after).toEqual({
      ...refused,
      attempts: [{ ...FIRST, ended: DEAD }, second],
      state: 'signed',
      reason: null,
      reserved: order.reserved,
    });
    expect(facts).toEqual([
      {
        type: 'order.signed',
        userId,
        atMs: T0 + 1_000,
        intentId,
        attemptId: second.attemptId,
        follows: { attemptId: FIRST.attemptId, proof: DEAD.proof },
      },
    ]);
  });

  it('names the attempt before it alone, however many there were', async () => {
    const attempts = [{ ...anAttempt('0x00'), ended: DEAD }, ...refused.attempts];
    const { facts } = await signedAgain({ folded: { ...refused, attempts }, attemptsMaximum: 3 });
    expect(facts.map(({ follows }) => follows?.attemptId)).toEqual([FIRST.attemptId]);
  });

  it.each<[string, Parameters<typeof signedAgain>[0]]>([
    ['was to be cancelled', { record: { ...order, cancelWanted: true } }],
    ['had its attempts', { record: { ...order, attempts: [FIRST, anAttempt('0x0f')] } }],
    ['is too old', { atMs: order.intent.sendUntilMs + 1 }],
    ['is held by a stop', { before: stopped }],
    ['is turned away with all others', { before: turnedAway }],
  ])('L1, L6, L8: prepares and signs nothing for an order that %s', async (_, circumstances) => {
    expect(await signedAgain(circumstances)).toEqual({ after: refused, facts: [], prepared: 0 });
  });

  it('L8: signs as long as the order may be sent', async () => {
    const { after } = await signedAgain({ atMs: order.intent.sendUntilMs });
    expect(after.state).toBe('signed');
  });

  it.each<[string, Parameters<typeof signedAgain>[0], Partial<OrderRecord>]>([
    ['a stop came', { meanwhile: stopped }, {}],
    ['the venue has turned us away', { meanwhile: turnedAway }, {}],
    ['its user took it back', {}, { state: 'cancelled', cancelWanted: true }],
    ['another word has decided it', {}, { state: 'live' }],
  ])('L1, L6: signs nothing where, while it was prepared, %s', async (_, circumstances, word) => {
    const attempts = [{ ...anAttempt('0x00'), ended: DEAD }, ...refused.attempts];
    const folded = { ...refused, attempts, ...word };
    const signed = await signedAgain({ ...circumstances, folded, attemptsMaximum: 3 });
    expect(signed).toEqual({ after: folded, facts: [], prepared: 1 });
  });

  it('signs for a venue that prepares nothing', async () => {
    const { after } = await signedAgain({ prepare: null });
    expect([after.state, after.attempts[1]?.extra]).toEqual(['signed', null]);
  });

  it('leaves the order as proven where the venue has nothing to sign, and hides no fault of this service', async () => {
    const throwing = (fault: Error) => async () => {
      throw fault;
    };
    const closed = new AppError('market_closed', 'the market is decided');
    expect((await signedAgain({ prepare: throwing(closed) })).after).toEqual(refused);
    const ours = new Error('an internal error');
    await expect(signedAgain({ prepare: throwing(ours) })).rejects.toBe(ours);
  });
});
