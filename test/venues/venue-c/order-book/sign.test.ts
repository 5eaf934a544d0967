import * as fc from 'fast-check';
import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../../../src/adapters/wire/keccak.ts';
import { asId } from '../../../../src/domain/ids.ts';
import {
  TICKS_PER_USD,
  priceTicks,
  shareMicros,
  type PriceTicks,
} from '../../../../src/domain/units.ts';
import type { OrderSigner } from '../../../../src/ports/order-signer.ts';
import { venueCRules } from '../../../../src/venues/venue-c/order-book/rules.ts';
import { createOrderDigest } from '../../../../src/venues/venue-c/order-book/digest.ts';
import { createOrderSigner } from '../../../../src/venues/venue-c/order-book/sign.ts';
import {
  OrderBuilder,
  OrderSigner as PublishedSigner,
  Side,
  Wallet,
} from '../../../peers/pool-sdk.ts';
import { aMarket } from '../../../support/builders.ts';
import { vaultWith } from '../../../support/known-keys.ts';
import { runs } from '../../../support/sampled.ts';
import { ADA, EXCHANGE, PREPARED, SLUG, YES, anOrderIntent } from '../intents.ts';

const TEST_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const account = privateKeyToAccount(TEST_KEY);
const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as const;
const OTHER_EXCHANGE = '0xF1De958F8641448A5ba78c01f434085385Af096D';
const MARKET = aMarket(1, {
  venue: anOrderIntent().venue,
  marketId: asId(SLUG),
  tickSize: priceTicks(10),
  minSize: shareMicros(1_000),
  own: {
    tradeType: 'clob',
    conditionId: `0x${'11'.repeat(32)}`,
    exchange: EXCHANGE,
    adapter: null,
    negRiskRequestId: null,
  },
});

const ORDER_TYPES = {
  Order: [
    { name: 'salt', type: 'uint256' },
    { name: 'maker', type: 'address' },
    { name: 'signer', type: 'address' },
    { name: 'taker', type: 'address' },
    { name: 'tokenId', type: 'uint256' },
    { name: 'makerAmount', type: 'uint256' },
    { name: 'takerAmount', type: 'uint256' },
    { name: 'expiration', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'feeRateBps', type: 'uint256' },
    { name: 'side', type: 'uint8' },
    { name: 'signatureType', type: 'uint8' },
  ],
} as const;

interface AnyOrder {
  readonly price: PriceTicks;
  readonly thousandths: number;
  readonly side: 'buy' | 'sell';
  readonly life: 'rests' | 'part_now';
  readonly salt: number;
  readonly feeRateBps: number;
  readonly tokenId: string;
  readonly exchange: typeof EXCHANGE | typeof OTHER_EXCHANGE;
}

/** Orders of any price and size, as their terms come from the rules. */
const anyOrder: fc.Arbitrary<AnyOrder> = fc.record({
  price: fc.integer({ min: 1, max: 999 }).map((step) => priceTicks(step * 10)),
  thousandths: fc.integer({ min: 1, max: 5_000_000 }),
  side: fc.constantFrom('buy', 'sell'),
  life: fc.constantFrom('rests', 'part_now'),
  salt: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  feeRateBps: fc.integer({ min: 0, max: 1_000 }),
  tokenId: fc.bigInt({ min: 1n, max: (1n << 256n) - 1n }).map(String),
  exchange: fc.constantFrom(EXCHANGE, OTHER_EXCHANGE),
});

let signer: OrderSigner;
beforeAll(async () => {
  const keccak = await loadKeccak();
  signer = createOrderSigner({
    vault: await vaultWith(keccak, ADA, TEST_KEY),
    digestOf: createOrderDigest(keccak, 8453),
    random: createSeededRandom('salts'),
    accounts: { accountOf: async () => ({ ownerId: 7, feeRateBps: 300 }) },
    allowances: { ensure: async () => undefined },
  });
});

function intentOf({ price, thousandths, side, life, tokenId }: AnyOrder) {
  const terms = venueCRules.terms({
    market: MARKET,
    side,
    amount: { unit: 'shares', micros: thousandths * 1_000 },
    type: { kind: 'limit', price },
  });
  return anOrderIntent({ ...terms, side, life, tokenId: asId(tokenId) });
}

/** The published client refuses orders that round to no money at all. */
function isWorthSomething(order: AnyOrder): boolean {
  return order.price * order.thousandths >= TICKS_PER_USD;
}

describe('orders of venue_c as they are signed', () => {
  it('are byte-identical to viem in digest and signature', { timeout: 600_000 }, async () => {
    for (const order of fc.sample(anyOrder, { numRuns: runs(500, 10_000), seed: 20_261_129 })) {
      const intent = intentOf(order);
      const { salt, feeRateBps, exchange, tokenId } = order;
      const signed = signer.sign(intent, { ...PREPARED, salt, feeRateBps, exchange });
      const digest = hashTypedData({
        domain: {
          name: 'Limitless CTF Exchange',
          version: '1',
          chainId: 8453,
          verifyingContract: exchange,
        },
        types: ORDER_TYPES,
        primaryType: 'Order',
        message: {
          salt: BigInt(salt),
          maker: account.address,
          signer: account.address,
          taker: ZERO_ADDRESS,
          tokenId: BigInt(tokenId),
          makerAmount: BigInt(intent.spendMicros),
          takerAmount: BigInt(intent.receiveMicros),
          expiration: 0n,
          nonce: 0n,
          feeRateBps: BigInt(feeRateBps),
          side: intent.side === 'buy' ? 0 : 1,
          signatureType: 0,
        },
      });
      const { signature } = JSON.parse(signed.body).order;
      expect(signature).toBe(await account.sign({ hash: digest }));
      // Named by the digest, as far as a version 4 UUID has room for it.
      expect(signed.attemptId.slice(0, 13)).toBe(`${digest.slice(2, 10)}-${digest.slice(10, 14)}`);
    }
  });

  it('have the amounts and the signature that the published client gives them', {
    timeout: 600_000,
  }, async () => {
    const published = new PublishedSigner(new Wallet(TEST_KEY));
    const drawn = fc.sample(anyOrder.filter(isWorthSomething), {
      numRuns: runs(60, 2_000),
      seed: 20_261_130,
    });
    for (const order of drawn) {
      const { salt, feeRateBps, exchange, tokenId, price, thousandths, side } = order;
      const { body } = signer.sign(intentOf(order), { ...PREPARED, salt, feeRateBps, exchange });
      const built = new OrderBuilder(account.address, feeRateBps).buildOrder({
        tokenId,
        price: price / TICKS_PER_USD,
        size: thousandths / 1_000,
        side: side === 'buy' ? Side.BUY : Side.SELL,
      });
      const unsigned = { ...built, salt };
      const signature = await published.signOrder(unsigned, {
        chainId: 8453,
        contractAddress: exchange,
      });
      expect(JSON.parse(body).order).toEqual({ ...unsigned, signature });
    }
  });

  it('L1: are the same bytes for the same intent, in the layout of the venue sheet', () => {
    const signed = signer.sign(anOrderIntent(), PREPARED);
    expect(signer.sign(anOrderIntent(), PREPARED)).toEqual(signed);
    const { signature } = JSON.parse(signed.body).order;
    expect(signed.body).toBe(
      `{"order":{"salt":1795248075130877,"maker":"${account.address}","signer":"${account.address}",` +
        `"taker":"${ZERO_ADDRESS}","tokenId":"${YES}","makerAmount":5000000,"takerAmount":10000000,` +
        `"expiration":"0","nonce":0,"feeRateBps":300,"side":0,"signatureType":0,"price":0.5,` +
        `"signature":"${signature}"},"orderType":"GTC","marketSlug":"${SLUG}","ownerId":7,` +
        `"clientOrderId":"${signed.attemptId}"}`,
    );
    expect(signed.attemptId).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(signed.orderId).toBeNull();
  });

  it('are for the exchange of their market, with what the venue says of the account, salted anew', async () => {
    const draft = { intent: anOrderIntent(), market: MARKET, atMs: 0 };
    const [one, other] = [await signer.prepare?.(draft), await signer.prepare?.(draft)];
    expect(one).toEqual({
      salt: expect.any(Number),
      exchange: EXCHANGE,
      feeRateBps: 300,
      ownerId: 7,
    });
    expect(other).not.toEqual(one);
  });

  it('are for what is to be had at once, or rest: none without a price is signed', () => {
    const now = signer.sign(anOrderIntent({ life: 'part_now' }), PREPARED);
    expect(JSON.parse(now.body)).toMatchObject({ orderType: 'FAK', order: { price: 0.5 } });
    expect(() => signer.sign(anOrderIntent({ life: 'all_now' }), PREPARED)).toThrow(
      'bounds no all-or-nothing order by a price',
    );
  });

  it('are not signed without what they are made of, for another venue, or for nothing', () => {
    expect(() => signer.sign(anOrderIntent(), null)).toThrow('without what its bytes are made of');
    expect(() => signer.sign(anOrderIntent({ venue: asId('venue_a') }), PREPARED)).toThrow(
      'another signer',
    );
    expect(() => signer.sign(anOrderIntent({ spendMicros: 0 }), PREPARED)).toThrow('not positive');
  });
});
