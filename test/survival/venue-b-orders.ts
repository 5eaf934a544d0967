import { ORDER } from '../../config/limits.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { readWireTransaction } from '../../src/sandbox/chains/solana/wire-transaction.ts';
import type { Scenario } from './findings.ts';
import { codeOf } from './fixture.ts';
import { atVenueB, CASH, QUOTES, type VenueBFixture } from './venue-b-fixture.ts';

/** A purchase is refused with a code, and nothing is made, asked or set aside. */
function refused(fault: FaultName, code: string, path?: string): Scenario {
  return atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm(fault, path === undefined ? { times: QUOTES } : { times: 1, match: { path } });
    fixture.is('the answer', await codeOf(fixture.buy(20)), code);
    fixture.nothingMade();
    fixture.calm(fault);
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('asked for again', order.state, 'filled');
  });
}

/** While the venue does not say what state an order is in, nothing is concluded from that. */
function unheard(fault: FaultName): Scenario {
  return atVenueB(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(100);
    fixture.arm(fault, { match: { path: '/order-status' } });
    const order = await fixture.buy(20);
    await clock.advance(90_000);
    const { state, attempts } = fixture.order(order);
    is('concluded', ['rejected', 'cancelled', 'filled'].includes(state), false);
    is(
      'one attempt, not given up',
      attempts.map(({ ended }) => ended),
      [null],
    );
    is('its money is set aside', fixture.cash().reserved > 0, true);
    fixture.calm(fault);
    is('once it says', (await fixture.ended(order)).state, 'filled');
  });
}

const got = ({ state, filledShares, filledUsdc }: ReturnType<VenueBFixture['order']>) => ({
  state,
  filledShares,
  filledUsdc,
});
const NOTHING = { state: 'cancelled', filledShares: 0, filledUsdc: 0 };
const WHOLE = { state: 'filled', filledShares: 20_000_000, filledUsdc: 10_000_000 };

/** What became of each fill. */
function settlements({ life }: VenueBFixture): readonly string[] {
  return life()
    .fills()
    .map(({ settlement }) => settlement)
    .sort();
}

/** Scenarios of what happens to orders between the question and the fill. */
export const VENUE_B_ORDERS: Readonly<Record<string, Scenario>> = {
  'open-is-no-fill': atVenueB(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill');
    const order = await fixture.buy(20);
    await clock.advance(5_000);
    is('landed and not filled', got(fixture.order(order)), { ...NOTHING, state: 'delayed' });
    is('contracts', fixture.life().holding(), 0);
    is('its money is set aside', fixture.cash().reserved > 0, true);
    is('in the end', got(await fixture.ended(order)), WHOLE);
  }),

  'part-refunded': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('partial-fill');
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('the order', got(order), {
      state: 'cancelled',
      filledShares: 10_000_000,
      filledUsdc: 5_000_000,
    });
    fixture.is('what came back is free', fixture.cash().reserved, 0);
  }),

  'all-refunded': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('reverted-fill');
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('closed, and not filled', got(order), NOTHING);
    fixture.is('spent', [fixture.life().fills().length, fixture.cash().settled], [0, CASH]);
  }),

  'sale-refunded': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.bid(100);
    await fixture.ended(await fixture.buy(20));
    await fixture.life().settled(1);
    fixture.arm('reverted-fill');
    is('the sale', got(await fixture.ended(await fixture.sell(20))), NOTHING);
    is('contracts are held, and can be sold', fixture.life().holding(), 20_000_000);
    is('sold then', (await fixture.ended(await fixture.sell(20))).state, 'filled');
  }),

  'quote-beside-book': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('stale-quote', { times: QUOTES });
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('the order', got(order), NOTHING);
    fixture.is('spent', fixture.cash().settled, CASH);
  }),

  'price-moves-on-the-way': atVenueB(async (fixture) => {
    const { is, world } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill');
    const order = await fixture.buy(20);
    await fixture.clock.advance(3_000);
    world.direct.venue.model.script(world.listing, { book: { yes: {}, no: { 4_500: 100 } } });
    is('no dearer than agreed', got(await fixture.ended(order)), NOTHING);
  }),

  'offer-expired': refused('expired-blockhash', 'preparation_timeout'),
  'route-not-found': refused('route-not-found', 'no_liquidity'),
  'route-lags': refused('stale-route', 'venue_unavailable'),
  'router-lags': refused('service-unavailable', 'venue_unavailable', '/order'),
  'quotes-throttled': refused('rate-limited', 'rate_limited', '/order'),
  'quote-cut': refused('refused-silently', 'venue_unavailable', '/order'),
  'quote-html': refused('bad-gateway', 'venue_unavailable', '/order'),

  'status-throttled': unheard('rate-limited'),
  'status-lags': unheard('service-unavailable'),
  'status-cut': unheard('refused-silently'),
  'status-html': unheard('bad-gateway'),

  'transaction-lost': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('solana-transaction-lost');
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is(
      'the same bytes, twice',
      { state: order.state, sends: order.attempts.map(({ sends }) => sends) },
      { state: 'filled', sends: [2] },
    );
  }),

  'transaction-never-lands': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('solana-transaction-lost', { times: ORDER.sendsMaximum });
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is(
      'proven, then quoted once more',
      { state: order.state, ended: order.attempts.map(({ ended }) => ended?.how) },
      { state: 'filled', ended: ['never', 'done'] },
    );
  }),

  'send-unanswered': atVenueB(async (fixture) => {
    fixture.offer(100);
    fixture.arm('solana-answer-lost');
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('found by its signature', [order.state, order.attempts.length], ['filled', 1]);
  }),

  'node-behind': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('solana-node-behind', {});
    const order = await fixture.buy(20);
    await fixture.clock.advance(15_000);
    const { state } = fixture.order(order);
    is('concluded', ['rejected', 'cancelled', 'filled'].includes(state), false);
    fixture.calm('solana-node-behind');
    const { state: last, attempts } = await fixture.ended(order);
    is('once it has come up', [last, attempts.length], ['filled', 1]);
  }),

  'opening-forked-away': atVenueB(async (fixture) => {
    const { is, world, life } = fixture;
    fixture.offer(100);
    fixture.arm('solana-fork', { times: 1, match: { address: world.wallet } });
    await fixture.buy(20);
    const wasTaken = () =>
      life()
        .fills()
        .map(({ settlement }) => settlement);
    await fixture.comes('the fill is taken back', () => wasTaken().includes('reversed'));
    await fixture.clock.advance(150_000);
    is('once, with none in its place', wasTaken(), ['reversed']);
    is('contracts, and money', [life().holding(), fixture.cash().settled], [0, CASH]);
  }),

  'opening-lands-again': atVenueB(async (fixture) => {
    const { is, world, life } = fixture;
    fixture.offer(100);
    fixture.arm('solana-fork', { times: 1, match: { address: world.wallet } });
    const order = await fixture.buy(20);
    await fixture.clock.advance(5_000);
    // Whoever produces the next blocks takes the same bytes up again.
    const bytes = Buffer.from(fixture.order(order).attempts[0]?.body ?? '', 'base64');
    world.direct.chain.execute(readWireTransaction(bytes));
    await life().settled(1);
    is('as it then was, once', settlements(fixture), ['reversed', 'settled']);
    is('contracts', life().holding(), 20_000_000);
  }),

  'fill-forked-away': atVenueB(async (fixture) => {
    const { is, world, life } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill', { times: 1, delayMs: 3_000 });
    await fixture.buy(20);
    await fixture.clock.advance(1_000);
    const { address } = world.direct.venue.settlement.router;
    fixture.arm('solana-fork', { times: 1, match: { address } });
    await life().settled(1);
    is('as it then was, once', settlements(fixture), ['reversed', 'settled']);
    is('contracts', life().holding(), 20_000_000);
  }),

  'refund-forked-away': atVenueB(async (fixture) => {
    const { is, world } = fixture;
    fixture.offer(100);
    fixture.arm('slow-fill', { times: 1, delayMs: 3_000 });
    fixture.arm('reverted-fill');
    const order = await fixture.buy(20);
    await fixture.clock.advance(1_000);
    const { address } = world.direct.venue.settlement.router;
    fixture.arm('solana-fork', { times: 1, match: { address } });
    is('as it then was', got(await fixture.ended(order)), WHOLE);
  }),

  'wallet-unknown': atVenueB(
    async (fixture) => {
      const { is, world } = fixture;
      fixture.offer(100);
      const refusal: unknown = await fixture.buy(20).catch((error: unknown) => error);
      is('the answer', Reflect.get(Object(refusal), 'code'), 'verification_required');
      is('asked for an offer', fixture.calls('quote'), 0);
      fixture.nothingMade();
      world.direct.venue.verified.add(world.wallet);
      is('once it is known', (await fixture.ended(await fixture.buy(20))).state, 'filled');
    },
    { isVerified: false },
  ),

  'wallet-forgotten': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(200);
    fixture.bid(100);
    await fixture.ended(await fixture.buy(20));
    await fixture.life().settled(1);
    fixture.arm('unverified-wallet', {});
    is('a purchase', await codeOf(fixture.buy(20)), 'verification_required');
    is('a sale goes on', (await fixture.ended(await fixture.sell(10))).state, 'filled');
    fixture.world.resolve([10_000, 0]);
    await fixture.comes('the winners are paid', () => fixture.life().holding() === 0, 3_600_000);
  }),

  'identity-down': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('verification-unavailable', {});
    is('who it is, is not guessed', await codeOf(fixture.buy(20)), 'venue_unavailable');
    fixture.nothingMade();
    fixture.calm('verification-unavailable');
    await fixture.ended(await fixture.buy(20));
    fixture.arm('verification-unavailable', {});
    await fixture.restart();
    const again = await fixture.ended(await fixture.buy(20));
    is('once known it is not asked again', again.state, 'filled');
  }),

  'no-sol': atVenueB(
    async (fixture) => {
      const { is, world } = fixture;
      fixture.offer(100);
      const refusal: unknown = await fixture.buy(20).catch((error: unknown) => error);
      is('the answer', Reflect.get(Object(refusal), 'code'), 'insufficient_funds');
      is(
        'it says of what',
        String(Reflect.get(Object(refusal), 'message')).includes('not enough SOL for fees'),
        true,
      );
      fixture.nothingMade();
      world.direct.faucet.giveLamports(world.wallet, 100_000_000n);
      is('once there is some', (await fixture.ended(await fixture.buy(20))).state, 'filled');
    },
    { lamports: 1_000_000n },
  ),

  'first-buy-makes-tokens': atVenueB(
    async (fixture) => {
      const { is, world } = fixture;
      fixture.offer(100);
      const before = world.direct.chain.account(world.wallet)?.lamports ?? 0n;
      is('bought', (await fixture.ended(await fixture.buy(20))).state, 'filled');
      const after = world.direct.chain.account(world.wallet)?.lamports ?? 0n;
      const paid = Number(before - after);
      is('paid for it, and no more than it may', paid > 10_000_000 && paid < 45_000_000, true);
    },
    { isMarket: ({ isInitialized }) => !isInitialized },
  ),

  'no-sellers': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.bid(100);
    await fixture.clock.advance(1_000);
    is('a purchase', await codeOf(fixture.buy(20)), 'no_liquidity');
    is('asked for an offer', fixture.calls('quote'), 0);
    fixture.nothingMade();
    fixture.offer(100);
    await fixture.clock.advance(2_000);
    is('once there is an offer', (await fixture.ended(await fixture.buy(20))).state, 'filled');
  }),

  'below-one-contract': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    const code = await codeOf(fixture.buy(0, { amount: { unit: 'usdc', micros: 400_000 } }));
    is('the answer', ['size_too_small', 'amount_too_small'].includes(code), true);
    is('asked for an offer', fixture.calls('quote'), 0);
    fixture.nothingMade();
  }),

  'dollars-buy-whole-contracts': atVenueB(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    const order = await fixture.ended(
      await fixture.buy(0, { amount: { unit: 'usdc', micros: 10_300_000 } }),
    );
    await fixture.life().settled(1);
    is('whole contracts', [order.filledShares % 1_000_000, order.filledShares > 0], [0, true]);
    is('the rest is free', fixture.cash(), {
      settled: CASH - order.filledUsdc - order.feesUsdc,
      reserved: 0,
      provisional: 0,
    });
  }),

  'two-rails': atVenueB(async (fixture) => {
    const { is, world } = fixture;
    fixture.offer(100);
    const { direct, listing } = world;
    const order = await fixture.ended(await fixture.buy(20));
    const { mints } = direct.venue.rails.of(listing);
    is('the token bought', String(order.intent.tokenId), mints.yes.address);
    const unused = direct.venue.rails.unusedOf(listing);
    is('of the other rail on the chain', direct.chain.account(unused.yes), null);
  }),
};
