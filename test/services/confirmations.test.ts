import { describe, expect, it } from 'vitest';
import { CONFIRMATION } from '../../config/limits/mcp.ts';
import type { KeyLimits } from '../../src/domain/key-limits.ts';
import { AppError } from '../../src/domain/errors.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import {
  API_KEY_CONSENTS,
  API_KEY_QUESTIONS,
  API_KEY_RECORDS,
} from '../../src/services/api-keys/tables.ts';
import { CONFIRMATION_NAMES, CONFIRMATIONS } from '../../src/services/confirmations/tables.ts';
import { createConfirmations } from '../../src/services/confirmations/confirmations.ts';
import { createIdempotency } from '../../src/services/idempotency.ts';
import { writeStop } from '../../src/services/orders/stop-check.ts';
import { ORDER_KEYS } from '../../src/services/books/tables.ts';
import { aMarketBuy, aMarketSell, T0 } from '../support/builders.ts';
import { aKeyRecord } from '../support/worlds/key-record.ts';
import { aFundedLife, during, ordersOf } from '../support/worlds/trading-world.ts';

const KEY = 'key_1';
const byKey = { kind: 'manual', keyId: KEY } as const;

/** A key that asks before every order, and what it put forward. */
async function anAsker(limits: Partial<KeyLimits> = {}) {
  const { world, life, store } = await aFundedLife();
  const { user, clock } = world;
  const keep = (revokedAtMs: number | null) =>
    life.commit((tx) =>
      tx.put(
        API_KEY_RECORDS,
        [user, KEY],
        aKeyRecord(user, KEY, { confirmAboveUsdc: usdcMicros(0), ...limits }, { revokedAtMs }),
      ),
    );
  await keep(null);
  /** What keeps the market from taking an order; null for nothing. */
  const market: { fault: AppError | null } = { fault: null };
  const idempotency = createIdempotency({ store, commit: life.commit, clock, made: [ORDER_KEYS] });
  const confirmations = createConfirmations({
    store,
    idempotency,
    commit: life.commit,
    random: createSeededRandom(3),
    clock,
    orders: {
      estimate: life.orders.estimate,
      async place(...given) {
        if (market.fault !== null) throw market.fault;
        return life.orders.place(...given);
      },
    },
  });
  const ask = (clientRequestId: string | null) =>
    confirmations.propose(user, {
      keyId: KEY,
      request: aMarketBuy({ origin: byKey }),
      clientRequestId,
    });
  const propose = (clientRequestId: string | null = null) => during(world, ask(clientRequestId));
  const confirm = (id: string) => during(world, confirmations.confirm(user, id));
  /** Places an order directly, as another key of the user would under the same name. */
  const placeAs = (key: string) =>
    during(
      world,
      idempotency.run({ userId: user, key, fingerprint: 'direct' }, async (idempotencyKey) => {
        await life.orders.place(user, aMarketBuy({ idempotencyKey }));
        return { answer: { status: 201, contentType: '', body: '' }, keep: true };
      }),
    );
  return {
    world,
    life,
    store,
    user,
    clock,
    confirmations,
    ask,
    propose,
    confirm,
    keep,
    market,
    placeAs,
  };
}

describe('an order of a key that asks its person', () => {
  it('is not placed by the key, for a sale either, whatever it names as confirmed', async () => {
    const { world, life, user, store } = await anAsker();
    for (const request of [
      aMarketBuy({ origin: byKey }),
      aMarketBuy({ origin: { ...byKey, confirmationId: 'cnf_made_up' } }),
    ])
      await expect(during(world, life.orders.place(user, request))).rejects.toMatchObject({
        code: 'confirmation_required',
      });
    await during(world, life.orders.place(user, aMarketBuy()));
    await world.clock.advance(10_000);
    await expect(
      during(world, life.orders.place(user, aMarketSell(1, { origin: byKey }))),
    ).rejects.toMatchObject({ code: 'confirmation_required' });
    expect(ordersOf(store)).toHaveLength(1);
  });

  it('is placed once when it is confirmed, at the worst price it was shown with', async () => {
    const { store, confirmations, propose, confirm, user } = await anAsker();
    const asked = await propose('one');
    expect([asked.state, ordersOf(store)]).toEqual(['asked', []]);
    const placed = await confirm(asked.confirmationId);
    const [order] = ordersOf(store);
    expect([placed.state, placed.intentId]).toEqual(['placed', order?.intent.intentId]);
    expect([order?.intent.price, order?.intent.origin]).toEqual([
      asked.worstPrice,
      { ...byKey, confirmationId: asked.confirmationId },
    ]);
    // who confirms it again gets the order
    expect(await confirm(asked.confirmationId)).toEqual(placed);
    expect(ordersOf(store)).toHaveLength(1);
    expect(store.range(API_KEY_CONSENTS)).toEqual([]);
    // the assistant's repetition finds what became of it
    expect((await propose('one')).state).toBe('placed');
    expect(confirmations.list(user).map(({ state }) => state)).toEqual(['placed']);
  });

  it('is put forward once where it is asked for twice at the same time', async () => {
    const { world, confirmations, ask, user } = await anAsker();
    const [one, other] = await during(world, Promise.all([ask('one'), ask('one')]));
    expect(one).toEqual(other);
    expect(confirmations.list(user)).toEqual([one]);
  });

  it('leaves nothing of itself once it is forgotten', async () => {
    const { store, confirmations, propose, user } = await anAsker();
    for (let made = 0; made <= CONFIRMATION.keptMaximum; made += 1) {
      const { confirmationId } = await propose(`call ${made}`);
      await confirmations.refuse(user, confirmationId);
    }
    expect(
      [CONFIRMATIONS, CONFIRMATION_NAMES, API_KEY_QUESTIONS].map(
        (table) => store.range(table as typeof CONFIRMATIONS).length,
      ),
    ).toEqual([CONFIRMATION.keptMaximum, CONFIRMATION.keptMaximum, CONFIRMATION.keptMaximum]);
  });

  it('is reported to its person, and recorded in the audit trail', async () => {
    const { store, propose } = await anAsker();
    const { confirmationId } = await propose();
    const asked = store
      .readJournal(0, 10_000)
      .flatMap(({ event }) => (event.type === 'audit.recorded' ? [event] : []))
      .filter(({ action }) => action === 'confirmation_asked');
    expect(asked.map(({ subject, detail }) => [subject, detail])).toEqual([[confirmationId, KEY]]);
  });

  it('is not placed once it was refused, or five minutes have passed', async () => {
    const { store, clock, confirmations, propose, confirm, user } = await anAsker();
    const refused = await propose();
    await confirmations.refuse(user, refused.confirmationId);
    const late = await propose();
    await clock.advance(CONFIRMATION.waitsMs);
    for (const { confirmationId } of [refused, late])
      await expect(confirm(confirmationId)).rejects.toMatchObject({ code: 'confirmation_ended' });
    await expect(confirm('cnf_none')).rejects.toMatchObject({ code: 'not_found' });
    expect(ordersOf(store)).toEqual([]);
  });

  it('waits again where placing it failed for something that passes, and may be confirmed anew', async () => {
    const { store, confirmations, propose, confirm, user, market } = await anAsker();
    const { confirmationId } = await propose('one');
    market.fault = new AppError('no_liquidity', 'nothing is offered', { retryable: true });
    await expect(confirm(confirmationId)).rejects.toMatchObject({ code: 'no_liquidity' });
    expect((await propose('one')).state).toBe('asked');
    expect([store.range(API_KEY_CONSENTS), ordersOf(store)]).toEqual([[], []]);
    market.fault = null;
    expect((await confirm(confirmationId)).state).toBe('placed');
    expect(ordersOf(store)).toHaveLength(1);
    expect(confirmations.list(user).map(({ state }) => state)).toEqual(['placed']);
  });

  it.each(['all', 'user', 'self'] as const)(
    'L6: is refused while a stop of %s holds, waits until its own end, and may be confirmed afterwards',
    async (kind) => {
      const { life, store, clock, confirmations, propose, confirm, user } = await anAsker();
      const stop = (stopped: boolean) =>
        life.commit((tx) =>
          writeStop(tx, {
            scope: kind === 'all' ? { kind } : { kind, userId: user },
            stopped,
            reason: null,
            policy: 'keep',
            atMs: clock.nowMs(),
          }),
        );
      const [first, late] = [await propose(), await propose()];
      await stop(true);
      for (const { confirmationId } of [first, first, late])
        await expect(confirm(confirmationId)).rejects.toMatchObject({ code: 'trading_stopped' });
      expect(confirmations.list(user).map(({ state }) => state)).toEqual(['asked', 'asked']);
      expect([store.range(API_KEY_CONSENTS), ordersOf(store)]).toEqual([[], []]);
      await stop(false);
      expect((await confirm(first.confirmationId)).state).toBe('placed');
      await clock.advance(CONFIRMATION.waitsMs);
      await expect(confirm(late.confirmationId)).rejects.toMatchObject({
        code: 'confirmation_ended',
      });
      expect(ordersOf(store)).toHaveLength(1);
    },
  );

  it('is not placed where it is refused while it is being confirmed, and stays refused', async () => {
    const { world, store, confirmations, propose, user } = await anAsker();
    const { confirmationId } = await propose();
    const confirmed = confirmations.confirm(user, confirmationId);
    const refused = confirmations.refuse(user, confirmationId);
    await expect(during(world, confirmed)).rejects.toMatchObject({ code: 'confirmation_ended' });
    expect((await refused).state).toBe('refused');
    expect(confirmations.list(user).map(({ state }) => state)).toEqual(['refused']);
    expect(ordersOf(store)).toEqual([]);
    expect(store.range(API_KEY_CONSENTS)).toEqual([]);
  });

  it('is another one than was put forward under the same key only under a key of its own', async () => {
    const { world, confirmations, propose, user } = await anAsker();
    await propose('one');
    await expect(
      during(
        world,
        confirmations.propose(user, {
          keyId: KEY,
          request: aMarketBuy({ origin: byKey, amount: { unit: 'usdc', micros: 7_000_000 } }),
          clientRequestId: 'one',
        }),
      ),
    ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(confirmations.list(user)).toHaveLength(1);
  });

  it('meets all limits again when it is confirmed: a key revoked since places nothing', async () => {
    const { store, propose, confirm, confirmations, user, keep } = await anAsker({
      dayUsdc: usdcMicros(11_000_000),
    });
    const [first, second] = [await propose(), await propose()];
    await confirm(first.confirmationId);
    await expect(confirm(second.confirmationId)).rejects.toMatchObject({ code: 'cap_exceeded' });
    expect(confirmations.list(user)[0]).toMatchObject({
      state: 'failed',
      failure: 'cap_exceeded',
    });
    await expect(propose()).rejects.toMatchObject({ code: 'cap_exceeded' });
    await keep(T0);
    await expect(propose()).rejects.toMatchObject({ code: 'api_key_invalid' });
    expect(ordersOf(store)).toHaveLength(1);
  });

  it('tells its person that it has ended where its key was revoked, and not that they are signed out', async () => {
    const { store, confirmations, user, propose, confirm, keep } = await anAsker();
    const { confirmationId } = await propose('one');
    await keep(T0);
    expect(confirmations.list(user)[0]).toMatchObject({
      state: 'asked',
      expiresAtMs: T0,
      failure: 'api_key_invalid',
    });
    for (const answer of [confirm, (id: string) => confirmations.refuse(user, id)])
      await expect(answer(confirmationId)).rejects.toMatchObject({
        code: 'confirmation_ended',
        message: `${confirmationId} ended when the key that asked, ${KEY}, was revoked`,
      });
    expect(ordersOf(store)).toEqual([]);
  });

  it('waits again after a kill while it was being confirmed, and is placed once then', async () => {
    const { store, life, confirmations, user, propose, confirm } = await anAsker();
    const asked = await propose('one');
    await life.commit((tx) =>
      tx.put(CONFIRMATIONS, [user, asked.confirmationId], { ...asked, state: 'confirmed' }),
    );
    expect(confirmations.list(user)[0]?.state).toBe('asked');
    expect((await confirm(asked.confirmationId)).state).toBe('placed');
    expect(ordersOf(store)).toHaveLength(1);
  });

  it('places nothing for a key whose end has come', async () => {
    const { clock, store, propose, confirm } = await anAsker({ expiresAtMs: T0 + 90_000 });
    const { confirmationId, expiresAtMs } = await propose('one');
    expect(expiresAtMs).toBe(T0 + 90_000);
    await clock.advance(90_000);
    await expect(confirm(confirmationId)).rejects.toMatchObject({ code: 'confirmation_ended' });
    expect(ordersOf(store)).toEqual([]);
  });

  it('tells all who confirm it at once how it ended, and places one order', async () => {
    const { world, store, propose, confirmations, user } = await anAsker();
    const { confirmationId } = await propose('one');
    const reported = await during(
      world,
      Promise.allSettled(
        Array.from({ length: 5 }, () => confirmations.confirm(user, confirmationId)),
      ),
    );
    const [order] = ordersOf(store);
    expect(reported).toMatchObject(
      reported.map(() => ({
        status: 'fulfilled',
        value: { state: 'placed', intentId: order?.intent.intentId },
      })),
    );
    expect(ordersOf(store)).toHaveLength(1);
  });

  it('is not placed by the call that put it forward, whatever that would meet now', async () => {
    const { propose, confirmations, user } = await anAsker();
    expect(confirmations.assertNotAsked(user, KEY, 'one')).toBeUndefined();
    await propose('one');
    expect(() => confirmations.assertNotAsked(user, KEY, 'one')).toThrow('put forward');
    expect(confirmations.assertNotAsked(user, KEY, 'two')).toBeUndefined();
  });

  it('L1: one name makes one order, whichever key or session of the user asks under it', async () => {
    const { propose, confirm, confirmations, placeAs, user, store } = await anAsker();
    const { confirmationId } = await propose('one');
    expect(() => confirmations.assertNotAsked(user, 'key_2', 'one')).toThrow('put forward');
    expect(() => confirmations.assertNotAsked(user, null, 'one')).toThrow(
      expect.objectContaining({ code: 'idempotency_mismatch' }),
    );
    // It was on its way already when the other was put forward.
    await placeAs('one');
    await expect(confirm(confirmationId)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(confirmations.list(user)).toMatchObject([
      { state: 'failed', failure: 'idempotency_mismatch' },
    ]);
    await placeAs('two');
    await expect(propose('two')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(ordersOf(store)).toHaveLength(2);
  });

  it('is one of ten that wait', async () => {
    const { propose } = await anAsker();
    for (let number = 0; number < CONFIRMATION.waitingMaximum; number += 1) await propose();
    await expect(propose()).rejects.toMatchObject({ code: 'limit_reached' });
  });
});
