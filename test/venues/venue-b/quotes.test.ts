import { describe, expect, it } from 'vitest';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { largestFee } from '../../../src/venues/venue-b/fees.ts';
import { askQuote, sizeOf, type QuotePayer } from '../../../src/venues/venue-b/quotes.ts';
import { aLevel } from '../../support/builders.ts';
import { aVenueIntent } from './intents.ts';
import { aWire, USDC, YES, type Answer } from './wire.ts';

const buy = (change: Partial<OrderIntent> = {}) =>
  aVenueIntent({
    price: priceTicks(5_100),
    spendMicros: 2_550_000,
    receiveMicros: 5_000_000,
    exact: 'receive',
    ...change,
  });
const sell = (change: Partial<OrderIntent> = {}) =>
  aVenueIntent({
    side: 'sell',
    price: priceTicks(4_900),
    spendMicros: 5_000_000,
    receiveMicros: 2_450_000,
    exact: 'spend',
    ...change,
  });

describe('what of an order is asked for', () => {
  it('is the contracts the book has at its price, and money for no further one', () => {
    const size = sizeOf(buy(), [aLevel(5_000, 100)]);
    expect(size).toMatchObject({ contracts: 5_000_000, slippageBps: 200, isBounded: true });
    expect(size?.amountMicros).toBe(2_550_000 + largestFee(2_550_000, priceTicks(5_100)));
  });

  it('has money to spare for a rise, and for another contract only after a fall of half its price', () => {
    const price = priceTicks(9_000);
    const intent = buy({ price, spendMicros: 4_500_000 });
    const size = sizeOf(intent, [aLevel(5_000, 100)]);
    expect(size?.amountMicros).toBe(
      2_750_000 + Math.ceil(largestFee(2_500_000, priceTicks(5_000))),
    );
  });

  it('slips by nothing where its price is the last one it takes', () => {
    expect(sizeOf(buy({ price: priceTicks(5_000) }), [aLevel(5_000, 100)])?.slippageBps).toBe(0);
  });

  it('is a part of it where the book has no more at its price', () => {
    const size = sizeOf(buy(), [aLevel(5_000, 2), aLevel(5_200, 100)]);
    expect(size).toMatchObject({ contracts: 2_000_000 });
  });

  it('is all of a sum of money, its fee included, where the book has enough for it', () => {
    const spendMicros = 4_000_000;
    const intent = buy({ spendMicros, receiveMicros: 7_000_000, exact: 'spend' });
    expect(sizeOf(intent, [aLevel(5_000, 100)])).toMatchObject({
      contracts: 8_000_000,
      amountMicros: spendMicros + largestFee(spendMicros, priceTicks(5_100)),
      isBounded: false,
    });
  });

  it('is nothing where the book has nothing at its price, or less than a contract', () => {
    expect([
      sizeOf(buy(), [aLevel(5_200, 100)]),
      sizeOf(buy(), []),
      sizeOf(buy({ spendMicros: 400_000 }), [aLevel(5_000, 100)]),
    ]).toEqual([null, null, null]);
  });

  it('is of a sale the contracts that are bid for at its price', () => {
    expect(sizeOf(sell(), [aLevel(5_000, 3), aLevel(4_800, 9)])).toMatchObject({
      contracts: 3_000_000,
      amountMicros: 3_000_000,
      slippageBps: 200,
    });
  });
});

describe("the venue's offer", () => {
  const OFFER = {
    inputMint: USDC,
    inAmount: '2550000',
    outputMint: YES,
    outAmount: '5000000',
    otherAmountThreshold: '4900000',
    executionMode: 'async',
    revertMint: USDC,
    transaction: 'AQ==',
    lastValidBlockHeight: 150,
    initPredictionMarketCost: 0,
  };
  /** The books are those of the looks at it in turn, the last for all that follow. */
  function ask(
    answer: Answer,
    looks = [[aLevel(5_000, 100)]],
    sponsor: QuotePayer['sponsor'] = null,
    intent = buy(),
  ) {
    const payer = { wallet: 'Wallet', sponsor };
    const { client, asked } = aWire({ '/order': answer });
    let looked = 0;
    const books = {
      async snapshot() {
        looked += 1;
        return { asks: looks[Math.min(looked, looks.length) - 1], bids: [] } as never;
      },
    };
    return { asked, quote: askQuote({ client, books, settlementMint: USDC }, intent, payer) };
  }

  it('is asked for with the wallet, what is given and how far it may slip', async () => {
    const { asked, quote } = ask(OFFER);
    expect(await quote).toMatchObject({ transaction: 'AQ==', outMicros: 5_000_000 });
    const query = new URLSearchParams(asked[0]?.path.split('?')[1]);
    expect(Object.fromEntries(query)).toMatchObject({
      inputMint: USDC,
      outputMint: YES,
      userPublicKey: 'Wallet',
      slippageBps: '0',
      predictionMarketSlippageBps: '200',
    });
  });

  it.each([
    [null, null],
    [false, 'false'],
  ])('is asked for with who pays the network for it, and how: %s', async (exec, sent) => {
    const { asked, quote } = ask(OFFER, undefined, { address: 'Sponsor', exec });
    await quote;
    const query = new URLSearchParams(asked[0]?.path.split('?')[1]);
    expect([query.get('sponsor'), query.get('sponsorExec')]).toEqual(['Sponsor', sent]);
  });

  it('is asked for anew where the price rose while it was made, and slips no further than its worst price', async () => {
    const rising = [[aLevel(5_000, 100)], [aLevel(5_100, 100)]];
    const { asked, quote } = ask(OFFER, rising);
    await quote;
    const slips = asked.map(({ path }) =>
      new URLSearchParams(path).get('predictionMarketSlippageBps'),
    );
    expect(slips).toEqual(['200', '0']);
  });

  it('is not taken where the price rises with each that is asked for', async () => {
    const rising = [5_000, 5_030, 5_060, 5_090].map((price) => [aLevel(price, 100)]);
    await expect(ask(OFFER, rising).quote).rejects.toMatchObject({ code: 'no_liquidity' });
  });

  it('says which price the book has where that is beyond the worst one of a market order', async () => {
    const beyond = [[aLevel(5_300, 100), aLevel(5_200, 100)]];
    await expect(ask(OFFER, beyond).quote).rejects.toMatchObject({
      code: 'no_liquidity',
      movedPrice: { price: '0.52', worstPrice: '0.51' },
    });
    const unmoved = { code: 'no_liquidity', movedPrice: null };
    await expect(ask(OFFER, [[]]).quote).rejects.toMatchObject(unmoved);
    const limit = ask(OFFER, beyond, null, buy({ life: 'rests' }));
    await expect(limit.quote).rejects.toMatchObject(unmoved);
  });

  it('is asked for anew where it would buy more contracts than were asked for', async () => {
    const { asked, quote } = ask({ ...OFFER, inAmount: '10', outAmount: '6000000' });
    await quote;
    const amounts = asked.map(({ path }) => Number(new URLSearchParams(path).get('amount')));
    expect(amounts.map((amount, index) => amount - (amounts[index + 1] ?? amount))).toEqual([
      500_000, 500_000, 0,
    ]);
  });

  it.each([
    ['another token', { outputMint: USDC }],
    ['more money', { inAmount: '9000000' }],
    ['a swap at once', { executionMode: 'sync' }],
    ['another account to sign', { predictionMarketInitPayerMustSign: true }],
  ])('is not taken where it is for %s', async (_what, change) => {
    await expect(ask({ ...OFFER, ...change }).quote).rejects.toMatchObject({
      code: 'venue_protocol',
    });
  });

  it.each([
    ['route_not_found', 400, 'no_liquidity'],
    ['unverified_wallet_not_allowed', 400, 'verification_required'],
    ['invalid_slippage_bps', 400, 'venue_protocol'],
    ['amm_map_lagging', 503, 'venue_unavailable'],
    ['', 429, 'rate_limited'],
  ])('refused as %s with %i is %s', async (word, status, code) => {
    await expect(ask([status, { code: word, msg: 'no' }]).quote).rejects.toMatchObject({ code });
  });
});
