import { priceTicks } from '../../src/domain/units.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { codeOf } from './fixture.ts';
import type { Scenario } from './findings.ts';
import { CASH, onChain, type VenueCChainFixture } from './venue-c-chain-fixture.ts';

/** A purchase there that needs the wallet's first right, with what goes wrong on its way. */
function allowing(play: (fixture: VenueCChainFixture) => Promise<void>): Scenario {
  return onChain('order_book', async (fixture) => {
    const { world } = fixture;
    world.quote({
      tokenId: world.market.outcomes[0].tokenId,
      side: 'sell',
      price: 5_000,
      shares: 100,
    });
    await play(fixture);
    await fixture.final();
    fixture.is(
      'the trade',
      fixture
        .life()
        .fills()
        .map(({ settlement }) => settlement),
      ['settled'],
    );
  });
}

/** Places the same order again while its caller is asked to come back. */
async function insisted(fixture: VenueCChainFixture, change: Partial<PlaceOrder> = {}) {
  for (let tries = 0; tries < 30; tries += 1) {
    const code = await codeOf(fixture.buy(20, change).then(() => undefined));
    if (code !== 'wallet_not_ready') {
      fixture.is('the answer', code, 'no refusal');
      break;
    }
    await fixture.world.clock.advance(4_000);
  }
  const [order] = fixture.life().orders();
  if (order === undefined) throw new Error('the order was made');
  return order;
}

/** Shares are held as the market ends; winners are paid once, whatever goes wrong on the way. */
function claiming(
  payouts: readonly [number, number],
  play: (fixture: VenueCChainFixture) => Promise<void>,
): Scenario {
  return onChain('pool', async (fixture) => {
    const { world, life } = fixture;
    await fixture.ended(await fixture.buy(20));
    await fixture.final();
    const before = fixture.cash().settled;
    const held = life().holding();
    world.end(payouts);
    // As the socket says it of a market that is followed; it is asked about in any case, later.
    life().core.trading.resolutionHint(world.market.marketId);
    await play(fixture);
    await fixture.comes('the position ends', () => life().holding() === 0);
    await world.clock.advance(20_000);
    fixture.is(
      'paid once',
      fixture.cash().settled - before,
      Math.floor((held * payouts[0]) / 1_000_000),
    );
  });
}

/** Has shares of a pool, which may take them: the next sale is one transaction. */
async function holding(fixture: VenueCChainFixture): Promise<void> {
  await fixture.ended(await fixture.buy(20));
  await fixture.final();
  await fixture.ended(await fixture.sell(5));
  await fixture.final();
}

const WHOLE = ['filled', 20_000_000];
const filled = ({ state, filledShares }: ReturnType<VenueCChainFixture['order']>) => [
  state,
  filledShares,
];

/** Scenarios of a wallet's transactions on chain 8453: rights, trades with pools, claims. */
export const VENUE_C_CHAIN: Readonly<Record<string, Scenario>> = {
  'right-lost': allowing(async (fixture) => {
    fixture.arm('nonce-gap');
    fixture.is('the order', filled(await fixture.ended(await insisted(fixture))), WHOLE);
    await fixture.comes('one right is given', () => fixture.done().length === 1);
  }),
  'right-underpriced': allowing(async (fixture) => {
    fixture.arm('underpriced-gas');
    fixture.is('the order', filled(await fixture.ended(await insisted(fixture))), WHOLE);
    await fixture.comes('one right is given', () => fixture.done().length === 1);
  }),
  'right-and-its-block-taken-back': allowing(async (fixture) => {
    fixture.arm('block-taken-back', { times: 1, delayMs: 1_500 });
    fixture.is('the order', filled(await fixture.ended(await insisted(fixture))), WHOLE);
    await fixture.comes('one right is given', () => fixture.done().length === 1);
  }),
  'killed-while-allowing': allowing(async (fixture) => {
    fixture.arm('nonce-gap');
    const code = await codeOf(fixture.buy(20));
    fixture.is('the answer', code, 'wallet_not_ready');
    await fixture.restart();
    fixture.is('the order', filled(await fixture.ended(await insisted(fixture))), WHOLE);
    await fixture.comes('one right is given', () => fixture.done().length === 1);
  }),

  'met-twice-at-once': onChain('order_book', async (fixture) => {
    const { world, life } = fixture;
    const type = { kind: 'limit', price: priceTicks(4_800), expiresAtMs: null } as const;
    const order = await insisted(fixture, { type: { ...type, untilCancelled: true } });
    // Bidding for the other outcome meets it: shares of both are made of the money of both.
    const [, { tokenId }] = world.market.outcomes;
    for (const shares of [8, 12]) world.take({ tokenId, side: 'buy', price: 6_000, shares });
    fixture.is('the order', filled(await fixture.ended(order)), WHOLE);
    await fixture.final();
    const fills = life().fills();
    fixture.is(
      'each trade, by a transaction of its own',
      [
        fills.map(({ settlement }) => settlement),
        new Set(fills.map((one) => one.transactionHash)).size,
      ],
      [['settled', 'settled'], 2],
    );
  }),

  'pool-moved-against-purchase': onChain('pool', async (fixture) => {
    fixture.arm('pool-moved');
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('never dearer than accepted', order.filledShares, 0);
    fixture.is('money', fixture.cash(), { settled: CASH, reserved: 0, provisional: 0 });
  }),
  'pool-may-take-nothing': onChain('pool', async (fixture) => {
    fixture.arm('allowance-missing');
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('the order', order.state, 'filled');
  }),
  'pool-purchase-waits-too-long': onChain('pool', async (fixture) => {
    fixture.arm('nonce-gap', { times: 2 });
    const { state, filledShares } = await fixture.ended(await fixture.buy(20));
    fixture.is('given up', [state, filledShares], ['rejected', 0]);
    await fixture.comes('its right is given', () => fixture.done().length === 1);
    await fixture.world.clock.advance(30_000);
    fixture.is('nothing is bought later', fixture.cash(), {
      settled: CASH,
      reserved: 0,
      provisional: 0,
    });
  }),

  'pool-sale-lost': onChain('pool', async (fixture) => {
    await holding(fixture);
    fixture.arm('nonce-gap');
    const order = await fixture.ended(await fixture.sell(5));
    fixture.is('the order', [order.state, order.attempts.length], ['filled', 1]);
  }),

  'pool-purchase-underpriced': onChain('pool', async (fixture) => {
    fixture.arm('underpriced-gas', { times: 2 });
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('the order', [order.state, order.attempts.length], ['filled', 1]);
  }),
  'pool-purchase-and-its-block-taken-back': onChain('pool', async (fixture) => {
    await fixture.ended(await fixture.buy(5));
    fixture.arm('block-taken-back', { times: 1, delayMs: 1_500 });
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('the order', [order.state, order.attempts.length], ['filled', 1]);
  }),
  'pool-killed-after-sending': onChain('pool', async (fixture) => {
    const order = await fixture.buy(20);
    await fixture.restart();
    const last = await fixture.ended(order);
    fixture.is('the order', [last.state, last.attempts.length], ['filled', 1]);
  }),
  'pool-killed-with-lost-transaction': onChain('pool', async (fixture) => {
    await holding(fixture);
    fixture.arm('nonce-gap');
    const order = await fixture.sell(5);
    await fixture.world.clock.advance(3_000);
    await fixture.restart();
    const last = await fixture.ended(order);
    fixture.is('the order', [last.state, last.attempts.length], ['filled', 1]);
  }),
  'pool-sale-and-its-block-taken-back': onChain('pool', async (fixture) => {
    await holding(fixture);
    fixture.arm('block-taken-back', { times: 1, delayMs: 1_500 });
    const order = await fixture.ended(await fixture.sell(5));
    fixture.is('the order', [order.state, order.attempts.length], ['filled', 1]);
  }),

  'claim-lost': claiming([1_000_000, 0], async (fixture) => fixture.arm('nonce-gap')),
  'claim-underpriced': claiming([1_000_000, 0], async (fixture) => fixture.arm('underpriced-gas')),
  'claim-and-its-block-taken-back': claiming([1_000_000, 0], async (fixture) =>
    fixture.arm('block-taken-back', { times: 1, delayMs: 1_500 }),
  ),
  'claim-undone': claiming([1_000_000, 0], async (fixture) => {
    const { world, life, is, comes } = fixture;
    const [held, before] = [life().holding(), fixture.cash().settled];
    await comes('it is paid', () => life().holding() === 0);
    await world.endTakenBack();
    is(
      'the chain has the shares again',
      Number(await world.on.shares(world.user.account, world.market.outcomes[0].tokenId)),
      held,
    );
    for (let looks = 0; looks < 60 && life().holding() === 0; looks += 1) {
      await life().syncDeposits();
      await world.clock.advance(1_000);
    }
    is('and the books', [life().holding(), fixture.cash().settled], [held, before]);
    await world.reported();
  }),
  'claim-killed': claiming([1_000_000, 0], async (fixture) => {
    fixture.arm('nonce-gap');
    await fixture.comes('it is under way', () => fixture.claims() > 0);
    await fixture.restart();
  }),
  'voided-pays-halves': claiming([500_000, 500_000], async () => undefined),
  'loser-is-paid-nothing': claiming([0, 1_000_000], async () => undefined),
};
