import type { Scenario } from './findings.ts';
import { codeOf } from './fixture.ts';
import { atVenueC, CASH, type VenueCFixture } from './venue-c-fixture.ts';

/** A trade that is undone behind another one is known to be so by then. */
const DECIDED_MS = 1_200_000;
/** Less than a trade takes to be mined. */
const SOON_MS = 300;

const filled = ({ state, filledShares }: ReturnType<VenueCFixture['order']>) => [
  state,
  filledShares,
];

/** Has an order rest at 0.4, known as resting. */
async function resting(fixture: VenueCFixture) {
  const order = await fixture.rest(4_000);
  await fixture.comes('it rests', () => fixture.order(order).state === 'live');
  return order;
}

/** Scenarios of settlement, resting orders and how markets end, at venue_c's books. */
export const VENUE_C_ENDING: Readonly<Record<string, Scenario>> = {
  'matched-then-failed': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('ghost-fill');
    await fixture.buy(20);
    await fixture.comes('it is taken back', () => fixture.settlements().includes('reversed'));
    is('once', fixture.settlements(), ['reversed']);
    is('shares, and money', [fixture.life().holding(), fixture.cash().settled], [0, CASH]);
  }),

  'retried-then-mined': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('retrying-then-confirmed');
    const order = await fixture.buy(20);
    await fixture.clock.advance(1_500);
    is('not final while it is tried again', fixture.cash().provisional !== 0, true);
    const [fill] = await fixture.life().settled(1);
    is(
      'once',
      [fixture.settlements(), filled(await fixture.ended(order))],
      [['settled'], ['filled', 20_000_000]],
    );
    is('by the transaction that was mined', typeof fill?.transactionHash, 'string');
  }),

  'sale-failed': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.bid(100);
    await fixture.ended(await fixture.buy(20));
    await fixture.life().settled(1);
    const held = fixture.life().holding();
    fixture.arm('ghost-fill');
    await fixture.sell(10);
    await fixture.comes('it is taken back', () => fixture.settlements().includes('reversed'));
    is('the shares are held again', fixture.life().holding(), held);
    is('and can be sold', filled(await fixture.ended(await fixture.sell(10))), [
      'filled',
      10_000_000,
    ]);
  }),

  'killed-while-settling': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('ghost-fill');
    await fixture.buy(20);
    await fixture.clock.advance(SOON_MS);
    await fixture.restart();
    await fixture.comes('it is taken back', () => fixture.settlements().includes('reversed'));
    is('once', fixture.settlements(), ['reversed']);
    is('money', fixture.cash().settled, CASH);
  }),

  'met-in-two-trades': atVenueC(async (fixture) => {
    const { is } = fixture;
    const order = await resting(fixture);
    fixture.meet(8);
    await fixture.clock.advance(SOON_MS);
    fixture.meet(12);
    is('the order', filled(await fixture.ended(order)), ['filled', 20_000_000]);
    await fixture.comes('both are final', () => fixture.cash().provisional === 0);
    is('each once', fixture.settlements(), ['settled', 'settled']);
  }),

  'first-of-two-trades-failed': atVenueC(async (fixture) => {
    const { is } = fixture;
    await resting(fixture);
    fixture.arm('ghost-fill');
    fixture.meet(8);
    await fixture.clock.advance(SOON_MS);
    fixture.meet(12);
    await fixture.comes('both are decided', () => fixture.cash().provisional === 0, DECIDED_MS);
    is('one each', fixture.settlements(), ['reversed', 'settled']);
  }),

  'second-of-two-trades-failed': atVenueC(async (fixture) => {
    const { is } = fixture;
    await resting(fixture);
    fixture.meet(8);
    await fixture.clock.advance(SOON_MS);
    fixture.arm('ghost-fill');
    fixture.meet(12);
    await fixture.comes('both are decided', () => fixture.cash().provisional === 0, DECIDED_MS);
    is('one each', fixture.settlements(), ['reversed', 'settled']);
  }),

  'met-while-dead': atVenueC(async (fixture) => {
    const { is } = fixture;
    const order = await resting(fixture);
    await fixture.restart(async () => {
      fixture.meet(20);
      await fixture.clock.advance(30_000);
    });
    is('booked after the start', filled(await fixture.ended(order)), ['filled', 20_000_000]);
    is('once', fixture.settlements(), ['settled']);
  }),

  'met-as-it-is-cancelled': atVenueC(async (fixture) => {
    const { is, life } = fixture;
    const order = await resting(fixture);
    fixture.meet(20);
    await codeOf(life().cancelled(order));
    is('its fill counts', filled(await fixture.ended(order)), ['filled', 20_000_000]);
    await fixture.life().settled(1);
    is('once', fixture.settlements(), ['settled']);
  }),

  'met-in-part-then-cancelled': atVenueC(async (fixture) => {
    const { is, life } = fixture;
    const order = await resting(fixture);
    fixture.meet(8);
    await life().cancelled(order);
    is('its part counts', filled(await fixture.ended(order)), ['cancelled', 8_000_000]);
    is('the rest is free', fixture.cash().reserved, 0);
  }),

  'cancel-unanswered': atVenueC(async (fixture) => {
    const { is, life } = fixture;
    const order = await resting(fixture);
    const [{ orderId } = { orderId: null }] = fixture.order(order).attempts;
    fixture.arm('refused-silently', { times: 1, match: { path: `/orders/${orderId}` } });
    await codeOf(life().cancelled(order));
    is('asked about, and ended', filled(await fixture.ended(order)), ['cancelled', 0]);
    is('the money is free', fixture.cash(), { settled: CASH, reserved: 0, provisional: 0 });
  }),

  'engine-stops-over-resting': atVenueC(async (fixture) => {
    const { is, life } = fixture;
    const order = await resting(fixture);
    fixture.arm('engine-restart', {});
    await codeOf(life().cancelled(order));
    await fixture.clock.advance(5_000);
    is('not called cancelled', fixture.order(order).state === 'cancelled', false);
    is('its money is set aside', fixture.cash().reserved > 0, true);
    fixture.calm('engine-restart');
    fixture.meet(20);
    await fixture.ended(order);
    is('as the venue has it', fixture.order(order).filledShares, fixture.taken() * 20_000_000);
  }),

  'expires-here': atVenueC(async (fixture) => {
    const { is, clock, life } = fixture;
    const order = await life().rest(20, 4_000, clock.nowMs() + 120_000);
    await clock.advance(119_000);
    is('it rests until then', fixture.order(order).state, 'live');
    const { state } = await fixture.ended(order, 60_000);
    is('then it ends', state, 'expired');
  }),

  'expired-while-dead': atVenueC(async (fixture) => {
    const { is, clock, life } = fixture;
    const order = await life().rest(20, 4_000, clock.nowMs() + 120_000);
    await fixture.restart(async () => void (await clock.advance(300_000)));
    const { state } = await fixture.ended(order, 60_000);
    is('it ends after the start', state, 'expired');
  }),

  'market-ends-over-resting': atVenueC(async (fixture) => {
    const { is } = fixture;
    const order = await resting(fixture);
    fixture.world.resolve([10_000, 0]);
    const { filledShares } = await fixture.ended(order);
    is('nothing of it', filledShares, 0);
    is('the money is free', fixture.cash(), { settled: CASH, reserved: 0, provisional: 0 });
  }),
};
