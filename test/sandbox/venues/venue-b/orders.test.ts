import { getBase58Decoder } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import { readTokenData } from '../../../../src/sandbox/chains/solana/token-layout.ts';
import { USDC_MINT } from '../../../../src/sandbox/chains/solana/addresses.ts';
import { watchBacking } from '../../../support/checks/backed-pairs.ts';
import { aVenue, aWallet, type VenueWorld, type Wire } from './a-venue.ts';

const contracts = (count: number) => count * 1_000_000;

function mints(world: VenueWorld) {
  const { yes, no } = world.venue.rails.of(world.listing).mints;
  return { yes: yes.address, no: no.address };
}

function ask(
  world: VenueWorld,
  question: { from: string; to: string; amount: number; more?: string; user?: string | null },
) {
  const user = question.user === undefined ? world.user.address : question.user;
  return world.get(
    'trade',
    `/order?inputMint=${question.from}&outputMint=${question.to}&amount=${question.amount}${user === null ? '' : `&userPublicKey=${user}`}${question.more ?? ''}`,
  );
}

const buy = (world: VenueWorld, amount: number, more = '', side: 'yes' | 'no' = 'yes') =>
  ask(world, { from: USDC_MINT, to: mints(world)[side], amount, more });
const sell = (world: VenueWorld, amount: number, side: 'yes' | 'no' = 'yes') =>
  ask(world, { from: mints(world)[side], to: USDC_MINT, amount });
const status = (world: VenueWorld, signature: string, height?: number) =>
  world.get(
    'trade',
    `/order-status?signature=${signature}${height === undefined ? '' : `&lastValidBlockHeight=${height}`}`,
  );

/** Sends an order and waits until it is closed. */
async function through(world: VenueWorld, order: { body: Wire }): Promise<Wire> {
  const { signature, executed } = world.send(order.body.transaction);
  expect(executed).toMatchObject({ kind: 'landed', transaction: { error: null } });
  await world.clock.advance(2_000);
  return status(world, signature).body;
}

function verified(options: Parameters<typeof aVenue>[0] = {}): VenueWorld {
  const world = aVenue(options);
  world.venue.verified.add(world.user.address);
  return world;
}

/** All test USDC there is. */
function readSupply(world: VenueWorld): bigint {
  const token = readTokenData(world.chain.account(USDC_MINT)?.data ?? new Uint8Array());
  return token?.kind === 'mint' ? token.supply : 0n;
}

describe('an order of contracts on Solana', () => {
  it('opens with the transaction, is filled a moment later, and gives back what it did not need', async () => {
    const world = verified();
    const quote = buy(world, 4_850_000);
    expect(quote.body).toMatchObject({
      inAmount: '4850000',
      outAmount: '5000000',
      minOutAmount: '4000000',
      executionMode: 'async',
      revertMint: USDC_MINT,
      initPredictionMarketCost: 0,
    });
    const { signature, executed } = world.send(quote.body.transaction);
    expect(executed).toMatchObject({ kind: 'landed', transaction: { error: null } });
    const words = [status(world, signature).body.status];
    for (let step = 0; step < 20; step += 1) {
      await world.clock.advance(50);
      const { status: word } = status(world, signature).body;
      if (word !== words.at(-1)) words.push(word);
    }
    expect(words).toEqual(['pending', 'open', 'pendingClose', 'closed']);
    const reported = status(world, signature).body;
    expect(reported).toEqual({
      status: 'closed',
      inAmount: '4850000',
      outAmount: '5000000',
      fills: [
        {
          signature: expect.any(String),
          inputMint: USDC_MINT,
          inAmount: '4800000',
          outputMint: mints(world).yes,
          outAmount: '5000000',
        },
      ],
      reverts: [{ signature: reported.fills[0].signature, mint: USDC_MINT, amount: '50000' }],
    });
    expect([world.held(mints(world).yes), world.usdc()]).toEqual([contracts(5), 95_200_000]);
    expect(world.venue.settlement.backing(world.listing)).toEqual({
      vault: contracts(5),
      yes: contracts(5),
      no: contracts(5),
    });
    expect(world.chain.transaction(reported.fills[0].signature)).not.toBeNull();
  });

  it('charges its fee inside the amount', async () => {
    const world = verified({ feeScale: 1 });
    const { fills, reverts } = await through(world, buy(world, 4_850_000));
    expect([fills[0].inAmount, reverts[0].amount]).toEqual([
      String(4_800_000 + 20_000 + 1_920),
      String(28_080),
    ]);
  });

  it('fills as far as the book goes within its limit, and gives the rest back', async () => {
    const world = verified();
    const { fills, reverts } = await through(
      world,
      buy(world, 20_000_000, '&predictionMarketSlippageBps=0&slippageBps=0'),
    );
    expect([fills[0].outAmount, fills[0].inAmount, reverts[0].amount]).toEqual([
      String(contracts(15)),
      String(9_600_000 + 4_850_000),
      String(20_000_000 - 14_450_000),
    ]);
  });

  it('sells at the bids, redeems winners at a dollar, and leaves an empty vault behind', async () => {
    const world = verified();
    await through(world, buy(world, 9_600_000));
    const sold = await through(world, sell(world, contracts(3)));
    expect(sold.fills[0]).toMatchObject({ inAmount: String(contracts(3)), outAmount: '2850000' });
    expect(world.venue.settlement.backing(world.listing)).toEqual({
      vault: contracts(7),
      yes: contracts(7),
      no: contracts(7),
    });
    expect(sell(world, contracts(8)).body.code).toBeUndefined();
    world.venue.model.script(world.listing, { result: 'yes' });
    const redeemed = await through(world, sell(world, contracts(7)));
    expect(redeemed.fills[0]).toMatchObject({ outAmount: String(contracts(7)) });
    expect(world.usdc()).toBe(100_000_000 - 9_600_000 + 2_850_000 + contracts(7));
    expect(world.venue.settlement.backing(world.listing)).toEqual({
      vault: 0,
      yes: 0,
      no: contracts(7),
    });
    expect([sell(world, contracts(1), 'no').body.code, buy(world, 5_000_000).body.code]).toEqual([
      'route_not_found',
      'route_not_found',
    ]);
  });

  it('of No is the other side of the same pairs; what others won is the market maker’s to give up', async () => {
    const world = verified();
    const { fills } = await through(world, buy(world, 1_000_000, '', 'no'));
    expect(fills[0]).toMatchObject({ outAmount: String(contracts(20)), inAmount: '1000000' });
    world.venue.model.script(world.listing, { result: 'yes' });
    await world.clock.advance(60_000);
    expect(world.venue.settlement.backing(world.listing)).toEqual({
      vault: 0,
      yes: 0,
      no: contracts(20),
    });
  });

  it('makes the tokens of a market with its first buy, at the cost it states', async () => {
    const world = verified();
    const listing = world.venue.model
      .events()
      .flatMap(({ markets }) => markets)
      .find((each) => !each.isInitialized && world.venue.model.state(each).status === 'active');
    if (listing === undefined) throw new Error('every market has its tokens');
    world.venue.model.script(listing, { book: { yes: {}, no: { 400: 10 } } });
    const first = { ...world, listing };
    const order = buy(first, 4_850_000);
    expect(order.body.initPredictionMarketCost).toBeGreaterThan(15_000_000);
    expect(order.body.initPredictionMarketCost).toBeLessThan(25_000_000);
    expect(
      world.get('metadata', `/api/v1/market/${listing.ticker}`).body.accounts[USDC_MINT]
        .isInitialized,
    ).toBe(false);
    const before = world.chain.account(world.user.address)?.lamports ?? 0n;
    const { fills } = await through(first, order);
    expect(fills[0].outAmount).toBe(String(contracts(5)));
    expect(
      Number(before - (world.chain.account(world.user.address)?.lamports ?? 0n)),
    ).toBeGreaterThan(order.body.initPredictionMarketCost);
    expect(
      world.get('metadata', `/api/v1/market/${listing.ticker}`).body.accounts[USDC_MINT]
        .isInitialized,
    ).toBe(true);
    expect(buy(first, 2_000_000).body.initPredictionMarketCost).toBe(0);
  });

  it('is quoted without a wallet, and refused with the reason the venue gives', () => {
    const world = verified();
    const { yes } = mints(world);
    expect(
      ask(world, { from: USDC_MINT, to: yes, amount: 4_850_000, user: null }).body,
    ).not.toHaveProperty('transaction');
    const code = (question: Partial<Parameters<typeof ask>[1]>) =>
      ask(world, { from: USDC_MINT, to: yes, amount: 4_850_000, ...question }).body.code;
    expect([
      code({ amount: 0 }),
      code({ amount: 900_000 }),
      code({ to: USDC_MINT }),
      code({ to: 'not-a-mint' }),
      code({ from: 'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH' }),
      code({ user: 'unknown' }),
      code({ more: '&predictionMarketSlippageBps=10&slippageBps=50' }),
      code({ more: '&predictionMarketSlippageBps=5001' }),
      code({ more: '&allowSyncExec=false&allowAsyncExec=false' }),
      code({ more: '&prioritizationFeeLamports=auto&computeUnitPriceMicroLamports=1' }),
      status(world, 'abc').body.code,
      status(world, getBase58Decoder().decode(new Uint8Array(64).fill(7))).body.code,
    ]).toEqual([
      'requested_input_amount_is_zero',
      'route_not_found',
      'same_input_and_output_mint',
      'invalid_output_mint',
      'route_not_found',
      'invalid_user_public_key',
      'prediction_slippage_bps_below_routing_slippage',
      'prediction_slippage_bps_above_max',
      'cannot_disable_sync_and_async_execution',
      'both_priority_fee_params_specified',
      'invalid_signature',
      'not_found',
    ]);
  });

  it('expires once its height has passed: never before, and never if it landed', async () => {
    const world = verified();
    const { transaction, lastValidBlockHeight } = buy(world, 4_850_000).body;
    const signature = getBase58Decoder().decode(new Uint8Array(64).fill(9));
    expect(status(world, signature, lastValidBlockHeight).status).toBe(404);
    await world.clock.advance(61_000);
    expect(world.send(transaction).executed).toEqual({
      kind: 'dropped',
      error: 'BlockhashNotFound',
    });
    expect(status(world, signature, lastValidBlockHeight).body).toMatchObject({
      status: 'expired',
      fills: [],
      reverts: [],
    });
    expect(world.usdc()).toBe(100_000_000);
  });

  it('moves money once however often its bytes arrive', async () => {
    const world = verified();
    const order = buy(world, 4_850_000);
    await through(world, order);
    expect(world.send(order.body.transaction).executed).toEqual({
      kind: 'dropped',
      error: 'AlreadyProcessed',
    });
    expect(world.usdc()).toBe(95_200_000);
  });

  it('leaves vault = Yes supply = No supply after each transaction, and all money where it was, whatever is traded', async () => {
    const world = verified({ feeScale: 1 });
    const unbacked = watchBacking(world);
    const random = createSeededRandom('orders of a day');
    const { yes, no } = mints(world);
    const total = () => Number(readSupply(world));
    let before: number | null = null;
    for (let turn = 0; turn < 25; turn += 1) {
      const listing = world.listing;
      world.venue.model.script(listing, {
        book: {
          yes: { [9_000 + random.integer(500)]: 1 + random.integer(8), 8_000: 50 },
          no: { [200 + random.integer(300)]: 1 + random.integer(8), 100: 3 },
        },
      });
      const name = (['partial-fill', 'reverted-fill', 'stale-quote'] as const)[random.integer(9)];
      if (name !== undefined) world.faults.arm(name, { times: 1 });
      const side = random.integer(2) === 0 ? 'yes' : 'no';
      const holds = world.held(side === 'yes' ? yes : no);
      const order =
        holds >= contracts(1) && random.integer(2) === 0
          ? sell(world, contracts(1 + random.integer(holds / contracts(1))), side)
          : buy(world, 1_000_000 + random.integer(9_000_000), '', side);
      world.faults.clearAll();
      if (order.status !== 200) continue;
      if (name !== undefined && name !== 'stale-quote') world.faults.arm(name, { times: 1 });
      expect((await through(world, order)).status).toBe('closed');
      expect(unbacked).toEqual([]);
      before ??= total();
      expect(total()).toBe(before);
    }
    expect(world.venue.settlement.backing(world.listing).vault).toBeGreaterThan(0);
  });

  it('is found again by the next process, still open, and closed there', async () => {
    const world = verified();
    world.faults.arm('slow-fill', { times: 1, delayMs: 60_000 });
    const { signature } = world.send(buy(world, 4_850_000).body.transaction);
    await world.clock.advance(1_000);
    expect(status(world, signature).body.status).toBe('open');
    const next = world.restart();
    await next.clock.advance(1_000);
    expect(status(next, signature).body).toMatchObject({ status: 'closed', outAmount: '5000000' });
    const last = next.restart();
    expect(status(last, signature).body.fills[0].inAmount).toBe('4800000');
  });
});

describe('what goes wrong with an order, by name', () => {
  it('reverted, partial and stale ones give back what they did not use', async () => {
    const world = verified();
    world.faults.arm('reverted-fill', { times: 1 });
    const reverted = await through(world, buy(world, 4_850_000));
    expect(reverted).toMatchObject({
      status: 'closed',
      outAmount: '0',
      fills: [],
      reverts: [{ amount: '4850000' }],
    });
    world.faults.arm('partial-fill', { times: 1 });
    const partial = await through(world, buy(world, 3_840_000));
    expect([partial.outAmount, partial.reverts[0].amount]).toEqual(['2000000', '1920000']);
    world.faults.arm('stale-quote', { times: 1 });
    const stale = await through(world, buy(world, 2_000_000));
    expect(stale).toMatchObject({ fills: [], reverts: [{ amount: '2000000' }] });
    expect(world.usdc()).toBe(100_000_000 - 1_920_000);
  });

  it('maintenance routes nothing but redemptions and reverts what is open; so does the weekly one', async () => {
    const world = verified();
    await through(world, buy(world, 1_920_000));
    const { signature } = world.send(buy(world, 4_850_000).body.transaction);
    world.faults.arm('clearing-maintenance');
    await world.clock.advance(2_000);
    expect(status(world, signature).body).toMatchObject({
      fills: [],
      reverts: [{ amount: '4850000' }],
    });
    expect([buy(world, 4_850_000).body.code, sell(world, contracts(1)).body.code]).toEqual([
      'route_not_found',
      'route_not_found',
    ]);
    world.venue.model.script(world.listing, { result: 'yes' });
    expect((await through(world, sell(world, contracts(2)))).outAmount).toBe(String(contracts(2)));
    const weekly = verified({ weeklyMaintenance: true });
    await weekly.clock.advance(Date.UTC(2026, 10, 26, 8, 5) - weekly.clock.nowMs());
    weekly.venue.model.script(weekly.listing, { book: { yes: { 9_500: 9 }, no: { 400: 9 } } });
    expect(buy(weekly, 4_850_000).body.code).toBe('route_not_found');
  });

  it('no route, a lagging router and an expired blockhash come before the chain', () => {
    const world = verified();
    for (const name of ['route-not-found', 'stale-route', 'expired-blockhash'] as const)
      world.faults.arm(name, { times: 1 });
    expect(buy(world, 4_850_000).body.code).toBe('route_not_found');
    expect(buy(world, 4_850_000)).toMatchObject({
      status: 500,
      body: { code: 'failed_to_compute_route', routingSlot: expect.any(Number) },
    });
    expect(world.send(buy(world, 4_850_000).body.transaction).executed).toEqual({
      kind: 'dropped',
      error: 'BlockhashNotFound',
    });
  });
});

describe('who may buy', () => {
  const visit = (world: VenueWorld, signed = '1764600000000', timestamp = '1764600000000') => {
    const signature = getBase58Decoder().decode(
      world.user.sign(Buffer.from(`Proof KYC verification: ${signed}`)),
    );
    return `/proof?wallet=${world.user.address}&signature=${signature}&timestamp=${timestamp}&redirect_uri=${encodeURIComponent('http://127.0.0.1:1/done?wallet=x')}`;
  };

  it('is who has been to the page with a signature of the wallet; others are sent there, but may sell', () => {
    const world = aVenue();
    const refusal = buy(world, 4_850_000);
    expect(refusal).toMatchObject({
      status: 400,
      body: {
        code: 'unverified_wallet_not_allowed',
        details: { deepLink: expect.stringContaining(world.user.address) },
      },
    });
    expect(sell(world, contracts(1)).status).toBe(200);
    expect(world.get('proof', `/verify/${world.user.address}`).body).toEqual({ verified: false });
    expect(world.get('proof', visit(world)).status).toBe(200);
    expect(world.get('proof', visit(world, '1764600000001')).status).toBe(400);
    expect(world.post('proof', visit(world), '')).toMatchObject({
      status: 302,
      headers: { location: 'http://127.0.0.1:1/done?wallet=x' },
    });
    expect(world.get('proof', `/verify/${world.user.address}`).body).toEqual({ verified: true });
    expect(buy(world, 4_850_000).status).toBe(200);
  });

  it('is late, refused or not reported, by name', async () => {
    const world = aVenue();
    world.faults.arm('verification-refused', { times: 1 });
    expect(world.post('proof', visit(world), '')).toMatchObject({ status: 400 });
    world.faults.arm('verification-late', { times: 1, delayMs: 5_000 });
    world.post('proof', visit(world), '');
    expect(world.get('proof', `/verify/${world.user.address}`).body).toEqual({ verified: false });
    await world.clock.advance(5_000);
    expect(world.get('proof', `/verify/${world.user.address}`).body).toEqual({ verified: true });
    world.faults.arm('verification-unavailable', { times: 1 });
    expect(world.get('proof', `/verify/${world.user.address}`).status).toBe(503);
    world.faults.arm('unverified-wallet');
    expect(buy(world, 4_850_000).body.code).toBe('unverified_wallet_not_allowed');
  });

  it('is endowed by the sandbox with money and proof', () => {
    const world = aVenue();
    const wallet = aWallet('another').address;
    expect(
      world.post(
        'proof',
        '/endowment',
        JSON.stringify({ address: wallet, usdc: '12.5', lamports: '2000000', verified: true }),
      ),
    ).toMatchObject({ status: 200, body: { verified: true } });
    expect(world.get('proof', `/verify/${wallet}`).body).toEqual({ verified: true });
    expect(world.chain.account(wallet)?.lamports).toBe(2_000_000n);
    // no kill undoes what was answered
    const gifts = [...world.chain.transactionsOf(wallet)];
    expect(gifts.map((gift) => world.chain.commitmentOf(gift))).toEqual(['confirmed', 'confirmed']);
  });
});
