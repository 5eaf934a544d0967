import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { authDigest, walletHeaders } from '../../../src/venues/venue-a/auth.ts';
import { createOrderSigner } from '../../../src/venues/venue-a/sign.ts';
import { domainSeparator } from '../../../src/adapters/wire/typed-data.ts';
import { loadKeccak, type Keccak } from '../../../src/adapters/wire/keccak.ts';
import { bytesOfHex, hexOf } from '../../../src/adapters/wire/hex.ts';
import { hmacBase64Url } from '../../../src/adapters/wire/hmac.ts';
import { aMarket } from '../../support/builders.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { runs } from '../../support/sampled.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { VENUE_A, VENUE_C } from '../../support/venue-ids.ts';

const EXCHANGE = '0xE111180000d2663C0091e4f400237545B87B996B';
const NEG_RISK = '0xe2222d279d744050d28e00520010520000310F59';
const TEST_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const EOA = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ADA = asId<UserId>('usr_ada');
const ORDER_TYPES = {
  Order: [
    { name: 'salt', type: 'uint256' },
    { name: 'maker', type: 'address' },
    { name: 'signer', type: 'address' },
    { name: 'tokenId', type: 'uint256' },
    { name: 'makerAmount', type: 'uint256' },
    { name: 'takerAmount', type: 'uint256' },
    { name: 'side', type: 'uint8' },
    { name: 'signatureType', type: 'uint8' },
    { name: 'timestamp', type: 'uint256' },
    { name: 'metadata', type: 'bytes32' },
    { name: 'builder', type: 'bytes32' },
  ],
} as const;
const ZERO = `0x${'0'.repeat(64)}` as const;

let keccak: Keccak;
let vault: KeyVault;

beforeAll(async () => {
  keccak = await loadKeccak();
  vault = await vaultWith(keccak, ADA, TEST_KEY);
});

function signerOf(account: Parameters<typeof createOrderSigner>[0]['config']['account']) {
  return createOrderSigner({
    vault,
    keccak,
    random: createSeededRandom('salts'),
    config: {
      chainId: 137,
      exchange: asId(EXCHANGE),
      negRiskExchange: asId(NEG_RISK),
      domainName: 'Polymarket CTF Exchange',
      domainVersion: '2',
      account,
      ownerOf: () => '00000000-0000-0000-0000-0000000000aa',
    },
  });
}

const EXTRA = { salt: 479_249_096_354, timestampMs: 1_700_000_000_000, negRisk: false };

function anIntent(change: Partial<OrderIntent> = {}): OrderIntent {
  return {
    intentId: asId('int_1'),
    userId: ADA,
    venue: VENUE_A,
    cashAccount: 'usdc:safe',
    origin: { kind: 'manual' },
    marketId: asId('0x01'),
    tokenId: asId('1234'),
    outcome: 0,
    side: 'buy',
    life: 'all_now',
    price: priceTicks(4_700),
    spendMicros: 3_525_000,
    receiveMicros: 7_500_000,
    exact: 'spend',
    createdAtMs: 1_700_000_000_000,
    expiresAtMs: null,
    sendUntilMs: 1_700_000_005_000,
    ...change,
  };
}

describe('what an order says beside its intent', () => {
  it('names the exchange of its market, also of one stored before venues had fields of their own', async () => {
    const signer = signerOf({ signatureType: 0 });
    const { own: _own, ...before } = aMarket(1);
    const markets = [true, false].flatMap((negRisk) => [
      aMarket(1, { own: { negRisk } }),
      { ...before, negRisk },
    ]);
    const prepared = await Promise.all(
      markets.map((market) => signer.prepare?.({ intent: anIntent(), market, atMs: 1 })),
    );
    expect(prepared).toMatchObject([
      { negRisk: true },
      { negRisk: true },
      { negRisk: false },
      { negRisk: false },
    ]);
  });
});

describe('order signing, vectors of the venue sheet', () => {
  it('gives the hash and the signature of order A on both exchanges', () => {
    const signer = signerOf({ signatureType: 0 });
    const standard = signer.sign(anIntent(), EXTRA);
    const negRisk = signer.sign(anIntent(), { ...EXTRA, negRisk: true });
    expect([standard.orderId, JSON.parse(standard.body).order.signature]).toEqual([
      '0xb4366e43a90a583a0c237d124e61e03fc566a674c5597ae5c50df25a5b55f255',
      '0x0b885a3c9ec4134db0e1c5630c001787829168cb074b81ae7b5f213b49a28b233b76c1458a7834ff088088177e6b88dd05c6fe2c5a29bba020c6a6a8eacab30b1b',
    ]);
    expect([negRisk.orderId, JSON.parse(negRisk.body).order.signature]).toEqual([
      '0x4fef0f09e38d26d3c2ee68dd397f499ec582e82b29699ce62a3adc3f592d35ba',
      '0x8a5c08487528092798d25cbe0c31b6e56fe3bfca0bbecef96fa3e16a25256262355dea4f10dccfb4adfb4dce307f8e77ae570acf8a3fdee91eeb14ff515d9bb91b',
    ]);
  });

  it('puts nothing of a trace into what the venue gets', () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const signer = signerOf({ signatureType: 0 });
    const traced = anIntent({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    expect(signer.sign(traced, EXTRA)).toEqual(signer.sign(anIntent(), EXTRA));
  });

  it('gives the 317-byte wrapper of order B for a deposit wallet', () => {
    const wallet = asId<Address>('0x1111111111111111111111111111111111111111');
    const signed = signerOf({ signatureType: 3, walletOf: () => wallet }).sign(anIntent(), EXTRA);
    const { order } = JSON.parse(signed.body);
    expect({
      id: signed.orderId,
      maker: order.maker,
      signer: order.signer,
      type: order.signatureType,
    }).toEqual({
      id: '0xa5497566ee4dcbe9bb66db29e5f62d3248872b3927d016c3f2dc2e36e36c876c',
      maker: wallet,
      signer: wallet,
      type: 3,
    });
    expect(order.signature).toHaveLength(2 + 317 * 2);
    expect(
      order.signature.startsWith(
        '0x5f3e0cb2672397fae216a1ce1f69c842d23cba6fe4f4999c63a441001bf226e44425f3353324f0735bf8d1e81d2c5eaf8592a0abb5430c8e086a82cb25a4213b1b' +
          '3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d2' +
          '9b84b3489238ea5d1b677dacc3493701c0cbfa5cf6366d5ae46683ef33ef2f42',
      ),
    ).toBe(true);
    expect(order.signature.endsWith('00ba')).toBe(true);
  });

  it('derives the domain separators of all exchanges, old and new', () => {
    const of = (version: string, contract: string) =>
      hexOf(
        domainSeparator(keccak, {
          name: 'Polymarket CTF Exchange',
          version,
          chainId: 137,
          contract: bytesOfHex(contract, 20) ?? new Uint8Array(),
        }),
      );
    expect([
      of('2', EXCHANGE),
      of('2', NEG_RISK),
      of('3', '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'),
      of('1', '0x4bFb41d5B3570DeFd03C39a9A4D8dE6Bd8B8982E'),
      of('1', '0xC5d563A36AE78145C45a50134d48A1215220f80a'),
    ]).toEqual([
      '0x3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d2',
      '0x9b858f53327b0bd13af8ec14cfb35234fb9eb7b0504d1a4e61f433840d30e81a',
      '0x466c63910185bbd55e8679264200c4e0abdcbb0c6264eb3d41d13326022e095b',
      '0x1a573e3617c78403b5b4b892827992f027b03d4eaf570048b8ee8cdd84d151be',
      '0x82cb6aa85babb812f4b521a12b10f0cbc68d2b44be7bc02c047004f544adb49f',
    ]);
  });

  it('signs the sign-in message', () => {
    expect(
      hexOf(
        authDigest(keccak, {
          chainId: 137,
          address: asId(EOA),
          timestampS: 1_700_000_000,
          nonce: 0,
        }),
      ),
    ).toBe('0xc85352894b3c41f3ea6152479d64b9233fbaf2de87eabc7e4bba3a161fd28493');
    expect(walletHeaders({ keccak, vault, chainId: 137 }, ADA, 1_700_000_000)).toEqual({
      POLY_ADDRESS: EOA,
      POLY_TIMESTAMP: '1700000000',
      POLY_NONCE: '0',
      POLY_SIGNATURE:
        '0x659ed4b28ae28e0f038fdf0023c00863c9559caacb9ebc83f44eea87059a099a36f1e1dee110e7faa1c4f65d17489b2da1333ebef78bbe2116d81207b975052d1c',
    });
  });

  it('signs requests with the account secret', () => {
    const secret = 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';
    expect([
      hmacBase64Url(secret, '1700000000GET/data/orders'),
      hmacBase64Url(secret, '1700000000DELETE/order{"orderID":"0xaa"}'),
    ]).toEqual([
      'ehyoqgypQUwlt6yvzGRm9uopQ-kegWg_3zh1VVph4K4=',
      '96tn7xt-We9HjIBeLUw78IHt8-f6sKy7ZWUci8Ix-Qw=',
    ]);
  });
});

describe('order signing', () => {
  it('is byte-identical to viem in digest and signature on random orders', {
    timeout: 600_000,
  }, async () => {
    const account = privateKeyToAccount(TEST_KEY);
    const signer = signerOf({ signatureType: 0 });
    const intents = fc.sample(anyIntent, { numRuns: runs(1_000, 10_000), seed: 20_261_121 });
    for (const { intent, extra } of intents) {
      const { orderId, body } = signer.sign(intent, extra);
      const typed = {
        domain: {
          name: 'Polymarket CTF Exchange',
          version: '2',
          chainId: 137,
          verifyingContract: extra.negRisk ? NEG_RISK : EXCHANGE,
        },
        types: ORDER_TYPES,
        primaryType: 'Order',
        message: {
          salt: BigInt(extra.salt),
          maker: EOA,
          signer: EOA,
          tokenId: BigInt(intent.tokenId),
          makerAmount: BigInt(intent.spendMicros),
          takerAmount: BigInt(intent.receiveMicros),
          side: intent.side === 'buy' ? 0 : 1,
          signatureType: 0,
          timestamp: BigInt(extra.timestampMs),
          metadata: ZERO,
          builder: ZERO,
        },
      } as const;
      const digest = hashTypedData(typed);
      const signature = await account.sign({ hash: digest });
      expect([orderId, JSON.parse(body).order.signature]).toEqual([digest, signature]);
    }
  });

  it('L1: gives the same bytes for the same intent, in the layout of the venue sheet', () => {
    const intent = anIntent({ life: 'rests', expiresAtMs: 1_700_000_600_999 });
    const [first, second] = [
      signerOf({ signatureType: 0 }).sign(intent, EXTRA),
      signerOf({ signatureType: 0 }).sign(intent, EXTRA),
    ];
    expect(second).toEqual(first);
    expect(first.body).toBe(
      '{"deferExec":false,"postOnly":false,"order":{"salt":479249096354,"maker":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",' +
        '"signer":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","tokenId":"1234","makerAmount":"3525000","takerAmount":"7500000",' +
        '"side":"BUY","signatureType":0,"timestamp":"1700000000000","expiration":"1700000660",' +
        `"metadata":"${ZERO}","builder":"${ZERO}","signature":"${JSON.parse(first.body).order.signature}"},` +
        '"owner":"00000000-0000-0000-0000-0000000000aa","orderType":"GTD"}',
    );
  });

  it('signs for a Safe with the owner key and the Safe as maker', async () => {
    const safe = asId<Address>('0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47');
    const signed = signerOf({ signatureType: 2, walletOf: () => safe }).sign(anIntent(), EXTRA);
    const { order } = JSON.parse(signed.body);
    const signature = await privateKeyToAccount(TEST_KEY).sign({
      hash: `0x${signed.attemptId.slice(2)}`,
    });
    expect([order.maker, order.signer, order.signatureType, order.signature]).toEqual([
      safe,
      EOA,
      2,
      signature,
    ]);
  });

  it.each([
    ['another venue', { venue: VENUE_C }],
    ['no maker amount', { spendMicros: 0 }],
    ['a fractional taker amount', { receiveMicros: 1.5 }],
    ['a token id with a sign', { tokenId: asId<OrderIntent['tokenId']>('-1') }],
    ['a token id beyond 256 bits', { tokenId: asId<OrderIntent['tokenId']>('9'.repeat(78)) }],
    ['a FOK with an end', { expiresAtMs: 1_700_000_600_000 }],
  ] as const)('refuses %s', (_what, change) => {
    expect(() => signerOf({ signatureType: 0 }).sign(anIntent(change), EXTRA)).toThrowError(
      expect.objectContaining({ code: 'internal' }),
    );
  });

  it('refuses a salt beyond 2^53', () => {
    expect(() =>
      signerOf({ signatureType: 0 }).sign(anIntent(), { ...EXTRA, salt: 2 ** 53 }),
    ).toThrowError(expect.objectContaining({ code: 'internal' }));
  });

  it('refuses a user whose key is not loaded', () => {
    expect(() =>
      signerOf({ signatureType: 0 }).sign(anIntent({ userId: asId('usr_unknown') }), EXTRA),
    ).toThrowError(expect.objectContaining({ code: 'not_found' }));
  });
});

const anyIntent = fc.record({
  intent: fc
    .record({
      tokenId: fc
        .bigInt({ min: 0n, max: (1n << 256n) - 1n })
        .map((id) => asId<OrderIntent['tokenId']>(String(id))),
      spendMicros: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      receiveMicros: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      side: fc.constantFrom<'buy' | 'sell'>('buy', 'sell'),
    })
    .map(anIntent),
  extra: fc.record({
    salt: fc.maxSafeNat(),
    timestampMs: fc.integer({ min: 1, max: 9_999_999_999_999 }),
    negRisk: fc.boolean(),
  }),
});

describe('the book hash of the venue sheet', () => {
  it('is the SHA-1 of compact JSON with an empty hash', () => {
    const book =
      '{"market":"0xaabbcc","asset_id":"100","timestamp":"123456789","hash":"","bids":[{"price":"0.3","size":"100"},{"price":"0.4","size":"100"}],"asks":[{"price":"0.6","size":"100"},{"price":"0.7","size":"100"}],"min_order_size":"100","tick_size":"0.01","neg_risk":false,"last_trade_price":"0.5"}';
    expect(createHash('sha1').update(book).digest('hex')).toBe(
      '0458ea5755c9f73d64a14636fa5c36ed460ec394',
    );
  });
});
