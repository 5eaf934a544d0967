import type { Scenario } from './findings.ts';
import { codeOf } from './fixture.ts';
import { atVenueB, CASH, type VenueBFixture } from './venue-b-fixture.ts';

/** Attempts of an order, by how each ended. */
const ends = ({ attempts }: ReturnType<VenueBFixture['order']>) =>
  attempts.map(({ ended }) => ended?.how);

/** Buys twenty contracts, and waits until they are final. */
async function hold(fixture: VenueBFixture): Promise<void> {
  fixture.offer(100);
  await fixture.ended(await fixture.buy(20));
  await fixture.life().settled(1);
}

/** Winners are paid a dollar each, once. */
async function paidOnce(fixture: VenueBFixture): Promise<void> {
  const before = fixture.cash().settled;
  await fixture.comes('the winners are paid', () => fixture.life().holding() === 0, 3_600_000);
  await fixture.clock.advance(150_000);
  fixture.is('a dollar each, once', fixture.cash().settled - before, 20_000_000);
}

/** Scenarios of limits, maintenance, ends of markets and redemptions. */
export const VENUE_B_ENDING: Readonly<Record<string, Scenario>> = {
  'maintenance-begins': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('clearing-maintenance', {});
    is('a market order', await codeOf(fixture.buy(20)), 'no_liquidity');
    fixture.nothingMade();
    const limit = await fixture.rest(5_000);
    await fixture.clock.advance(120_000);
    is(
      'a limit waits',
      [fixture.order(limit).state, fixture.order(limit).attempts.length],
      ['live', 0],
    );
    fixture.calm('clearing-maintenance');
    is('and fires after it', (await fixture.ended(limit)).state, 'filled');
  }),

  'maintenance-over-open-order': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('slow-fill');
    const order = await fixture.buy(20);
    await fixture.clock.advance(3_000);
    fixture.arm('clearing-maintenance', {});
    const { state, filledShares } = await fixture.ended(order);
    fixture.is('all of it came back', [state, filledShares], ['cancelled', 0]);
    fixture.is('spent', fixture.cash().settled, CASH);
  }),

  'market-pauses-over-open-order': atVenueB(async (fixture) => {
    const { world } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill');
    const order = await fixture.buy(20);
    await fixture.clock.advance(3_000);
    world.direct.venue.model.script(world.listing, { isPaused: true });
    const { state, filledShares } = await fixture.ended(order);
    fixture.is('all of it came back', [state, filledShares], ['cancelled', 0]);
    fixture.is('spent', fixture.cash().settled, CASH);
  }),

  'market-paused': atVenueB(async (fixture) => {
    const { is, world } = fixture;
    fixture.offer(100);
    const limit = await fixture.rest(4_000);
    const pause = (isPaused: boolean) =>
      world.direct.venue.model.script(world.listing, { isPaused });
    pause(true);
    await fixture.clock.advance(30_000);
    is('a purchase', (await codeOf(fixture.buy(20))) === 'no refusal', false);
    is('orders', fixture.life().orders().length, 1);
    is('a limit waits', fixture.order(limit).state, 'live');
    pause(false);
    fixture.offer(100, 4_000);
    is('and fires after it', (await fixture.ended(limit)).state, 'filled');
  }),

  'cancel-under-way': atVenueB(async (fixture) => {
    const { is, life } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill');
    const order = await fixture.buy(20);
    await fixture.clock.advance(3_000);
    is('the cancel', await codeOf(life().cancelled(order)), 'order_not_cancellable');
    is('it ends by itself', (await fixture.ended(order)).state, 'filled');
  }),

  'limit-met-in-part': atVenueB(async (fixture) => {
    const { is } = fixture;
    const limit = await fixture.rest(4_000);
    fixture.arm('partial-fill');
    fixture.offer(20, 4_000);
    await fixture.comes('half of it', () => fixture.order(limit).filledShares === 10_000_000);
    await fixture.comes('rests again', () => fixture.order(limit).state === 'live');
    const { reserved } = fixture.cash();
    const { setAsideFor } = fixture.life();
    is(
      'what is left stays set aside, with its largest fee, and what was spent does not',
      reserved >= setAsideFor(4_000_000, 4_000) &&
        reserved <= setAsideFor(8_000_000, 4_000) - 4_000_000,
      true,
    );
    const order = await fixture.ended(limit);
    is(
      'the rest',
      [order.state, order.filledShares, ends(order)],
      ['filled', 20_000_000, ['done', 'done']],
    );
  }),

  'limit-met-and-reverted': atVenueB(async (fixture) => {
    const { is } = fixture;
    const limit = await fixture.rest(4_000);
    fixture.arm('reverted-fill', { times: 2 });
    fixture.offer(20, 4_000);
    const order = await fixture.ended(limit);
    is('one attempt after the other', ends(order), ['done', 'done', 'done']);
    is('filled once', [order.state, order.filledShares], ['filled', 20_000_000]);
  }),

  'limit-met-and-lost': atVenueB(async (fixture) => {
    const { is } = fixture;
    const limit = await fixture.rest(4_000);
    fixture.arm('solana-transaction-lost', { times: 4 });
    fixture.offer(20, 4_000);
    const order = await fixture.ended(limit);
    is('another after the proof', [order.state, ends(order)], ['filled', ['never', 'done']]);
  }),

  'limit-cancelled-as-it-fires': atVenueB(async (fixture) => {
    const { is, life } = fixture;
    const limit = await fixture.rest(4_000);
    fixture.arm('slow-fill');
    fixture.arm('partial-fill');
    fixture.offer(20, 4_000);
    await fixture.comes('it fires', () => fixture.order(limit).state !== 'live');
    await codeOf(life().cancelled(limit));
    const { state, filledShares, attempts } = await fixture.ended(limit);
    is(
      'its fill counts, no other follows',
      [state, filledShares, attempts.length],
      ['cancelled', 10_000_000, 1],
    );
  }),

  'finer-steps': atVenueB(
    async (fixture) => {
      const { is } = fixture;
      const limit = await fixture.rest(9_700);
      await fixture.clock.advance(2_000);
      fixture.offer(20, 9_710);
      await fixture.clock.advance(5_000);
      is('a tenth of a cent dearer', fixture.order(limit).attempts.length, 0);
      fixture.offer(20, 9_650);
      const { state, filledUsdc } = await fixture.ended(limit);
      is('at 0.97 or better', [state, filledUsdc], ['filled', 19_300_000]);
    },
    { isMarket: ({ structure, ticker }) => structure !== 'linear_cent' && !/15M/.test(ticker) },
  ),

  'killed-under-way': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill');
    const order = await fixture.buy(20);
    await fixture.restart();
    const { state, attempts } = await fixture.ended(order);
    is('found by its signature', [state, attempts.length], ['filled', 1]);
  }),

  'killed-unanswered': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('solana-transaction-lost');
    const order = await fixture.buy(20);
    await fixture.restart();
    const { state, attempts } = await fixture.ended(order);
    is('the same bytes again', [state, attempts.length], ['filled', 1]);
  }),

  'rail-opens-late': atVenueB(
    async (fixture) => {
      const { is, world, clock } = fixture;
      const { model } = world.direct.venue;
      fixture.offer(20);
      fixture.bid(20);
      await fixture.ended(await fixture.buy(20));
      await fixture.ended(await fixture.buy(20, { outcome: 1 }));
      await fixture.life().settled(2);
      await clock.advance(world.listing.closeMs - clock.nowMs() + 21_000);
      is('determined, its rail closed', model.state(world.listing).redemption, 'pending');
      await paidOnce(fixture);
    },
    { isMarket: ({ process: { kind } }) => kind === 'price' },
  ),

  'redemption-not-routed': atVenueB(async (fixture) => {
    await hold(fixture);
    fixture.arm('route-not-found', { times: 3 });
    fixture.world.resolve([10_000, 0]);
    await paidOnce(fixture);
  }),

  'redemption-lost': atVenueB(async (fixture) => {
    await hold(fixture);
    fixture.arm('solana-transaction-lost', { times: 4 });
    fixture.world.resolve([10_000, 0]);
    await paidOnce(fixture);
  }),

  'redemption-in-maintenance': atVenueB(async (fixture) => {
    await hold(fixture);
    fixture.bid(20);
    await fixture.clock.advance(2_000);
    fixture.arm('clearing-maintenance', {});
    fixture.is('a sale', await codeOf(fixture.sell(5)), 'no_liquidity');
    fixture.world.resolve([10_000, 0]);
    await paidOnce(fixture);
  }),

  'loser-pays-nothing': atVenueB(async (fixture) => {
    const { is, clock } = fixture;
    await hold(fixture);
    const { settled } = fixture.cash();
    const asked = fixture.calls('quote');
    fixture.world.resolve([0, 10_000]);
    await fixture.comes('the position ends', () => fixture.life().holding() === 0, 3_600_000);
    await clock.advance(150_000);
    is(
      'paid, and asked',
      [fixture.cash().settled - settled, fixture.calls('quote') - asked],
      [0, 0],
    );
  }),
};
