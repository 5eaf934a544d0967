import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Hex } from 'viem';
import { createVirtualClock } from '../../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../../../src/domain/ids.ts';
import { createApiKeys, type ApiKey } from '../../../../../src/sandbox/engine/api-keys.ts';
import { bookHash } from '../../../../../src/sandbox/venues/venue-a/clob/clob-vocabulary.ts';
import {
  isSignedBy,
  orderIdOf,
  type SignedFields,
} from '../../../../../src/sandbox/venues/venue-a/clob/order-signature.ts';
import { callerTimes } from '../../../../../src/sandbox/wire/caller-times.ts';
import {
  keyProof,
  walletProof,
} from '../../../../../src/sandbox/venues/venue-a/clob/venue-auth.ts';
import { deriveWallets } from '../../../../../src/sandbox/venues/venue-a/wallets/wallet-derivation.ts';

const OWNER = asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const OWNER_HEX: Hex = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const AT_S = 1_700_000_000;
const L1_SIGNATURE =
  '0x659ed4b28ae28e0f038fdf0023c00863c9559caacb9ebc83f44eea87059a099a36f1e1dee110e7faa1c4f65d17489b2da1333ebef78bbe2116d81207b975052d1c';

function call(
  headers: Readonly<Record<string, string>>,
  request: { method?: string; path?: string; body?: string } = {},
) {
  return {
    method: request.method ?? 'GET',
    target: request.path ?? '/data/orders',
    path: request.path ?? '/data/orders',
    query: new URLSearchParams(),
    params: {},
    body: request.body ?? '',
    header: (name: string) => headers[name] ?? '',
  };
}

const walletHeaders = (changes: Record<string, string> = {}) =>
  call({
    poly_address: OWNER,
    poly_signature: L1_SIGNATURE,
    poly_timestamp: String(AT_S),
    poly_nonce: '0',
    ...changes,
  });

describe('the wallet proof', () => {
  const times = callerTimes(createVirtualClock(AT_S * 1_000), null);

  it('accepts the signature of the published vector', () => {
    expect(walletProof(walletHeaders(), times)).toEqual({ address: OWNER, nonce: '0' });
  });

  it.each([
    ['another nonce', { poly_nonce: '1' }],
    ['another time', { poly_timestamp: String(AT_S + 1) }],
    ['another account', { poly_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }],
    ['no signature', { poly_signature: '' }],
    ['half a signature', { poly_signature: L1_SIGNATURE.slice(0, 80) }],
    ['a signature of nonsense', { poly_signature: `0x${'00'.repeat(64)}1b` }],
  ])('refuses %s', (_what, changes) => {
    expect(walletProof(walletHeaders(changes), times)).toBeNull();
  });

  it('refuses a proof more than a minute old', () => {
    expect(
      walletProof(walletHeaders(), callerTimes(createVirtualClock((AT_S + 61) * 1_000), null)),
    ).toBeNull();
  });
});

describe('the key proof', () => {
  const clock = createVirtualClock(AT_S * 1_000);
  const times = callerTimes(clock, null);
  const keys = createApiKeys({
    random: createSeededRandom(1),
    nowMs: () => clock.nowMs(),
    changed: () => undefined,
  });
  const key = keys.create(OWNER, '0');
  const readonly = keys.issue(OWNER, 'readonly');

  const headersOf = (
    owner: ApiKey | null,
    message: string,
    changes: Record<string, string> = {},
  ) => ({
    poly_address: OWNER,
    poly_api_key: owner?.apiKey ?? '',
    poly_passphrase: owner?.passphrase ?? '',
    poly_timestamp: String(AT_S),
    poly_signature: createHmac('sha256', Buffer.from(owner?.secret ?? '', 'base64'))
      .update(message)
      .digest('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_'),
    ...changes,
  });
  const order = { method: 'DELETE', path: '/order', body: '{"orderID":"0xaa"}' };

  it('accepts the signature over time, method, path without query and raw body', () => {
    expect(
      keyProof(call(headersOf(key, `${AT_S}DELETE/order{"orderID":"0xaa"}`), order), keys, times),
    ).toEqual(key);
  });

  it.each([
    ['another body', { ...order, body: '{"orderID": "0xaa"}' }, {}],
    ['another path', { ...order, path: '/orders' }, {}],
    ['another passphrase', order, { poly_passphrase: 'x' }],
    ['another address', order, { poly_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }],
    ['an unknown key', order, { poly_api_key: 'x' }],
    ['a time two minutes ahead', order, { poly_timestamp: String(AT_S + 120) }],
  ])('refuses %s', (_what, request, changes) => {
    expect(
      keyProof(
        call(headersOf(key, `${AT_S}DELETE/order{"orderID":"0xaa"}`, changes), request),
        keys,
        times,
      ),
    ).toBeNull();
  });

  it('lets a read-only key read and nothing else', () => {
    expect(keyProof(call(headersOf(readonly, `${AT_S}GET/data/orders`)), keys, times)).toEqual(
      readonly,
    );
    expect(
      keyProof(
        call(headersOf(readonly, `${AT_S}DELETE/order{"orderID":"0xaa"}`), order),
        keys,
        times,
      ),
    ).toBeNull();
  });
});

describe('orders, wallets and books, by the published vectors', () => {
  const orderA: SignedFields = {
    salt: 479249096354n,
    maker: OWNER_HEX,
    signer: OWNER_HEX,
    tokenId: 1234n,
    makerAmount: 3525000n,
    takerAmount: 7500000n,
    side: 0,
    signatureType: 0,
    timestamp: 1700000000000n,
    metadata: `0x${'00'.repeat(32)}`,
    builder: `0x${'00'.repeat(32)}`,
  };
  const signatureA =
    '0x0b885a3c9ec4134db0e1c5630c001787829168cb074b81ae7b5f213b49a28b233b76c1458a7834ff088088177e6b88dd05c6fe2c5a29bba020c6a6a8eacab30b1b';

  it('gives an order the id of its exchange', () => {
    expect(orderIdOf(orderA, false)).toBe(
      '0xb4366e43a90a583a0c237d124e61e03fc566a674c5597ae5c50df25a5b55f255',
    );
    expect(orderIdOf(orderA, true)).toBe(
      '0x4fef0f09e38d26d3c2ee68dd397f499ec582e82b29699ce62a3adc3f592d35ba',
    );
  });

  it('knows the signer alone, and on no other exchange', () => {
    const proof = {
      negRisk: false,
      orderId: orderIdOf(orderA, false),
      signature: signatureA,
    } as const;
    expect(isSignedBy(OWNER_HEX, orderA, proof)).toBe(true);
    expect(isSignedBy('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', orderA, proof)).toBe(false);
    expect(
      isSignedBy(OWNER_HEX, orderA, { ...proof, negRisk: true, orderId: orderIdOf(orderA, true) }),
    ).toBe(false);
  });

  it('reads the wrapped signature of a deposit wallet and refuses a changed wrapper', () => {
    const wallet: Hex = '0x1111111111111111111111111111111111111111';
    const orderB: SignedFields = { ...orderA, maker: wallet, signer: wallet, signatureType: 3 };
    const inner =
      '0x5f3e0cb2672397fae216a1ce1f69c842d23cba6fe4f4999c63a441001bf226e44425f3353324f0735bf8d1e81d2c5eaf8592a0abb5430c8e086a82cb25a4213b1b';
    const type =
      'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';
    const tail = `3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d29b84b3489238ea5d1b677dacc3493701c0cbfa5cf6366d5ae46683ef33ef2f42${Buffer.from(type).toString('hex')}00ba`;
    const proof = { negRisk: false, orderId: orderIdOf(orderB, false) };
    expect(isSignedBy(OWNER_HEX, orderB, { ...proof, signature: `${inner}${tail}` as Hex })).toBe(
      true,
    );
    expect(
      isSignedBy(OWNER_HEX, orderB, {
        ...proof,
        signature: `${inner}${tail.replace('00ba', '00bb')}` as Hex,
      }),
    ).toBe(false);
    expect(isSignedBy(OWNER_HEX, orderB, { ...proof, signature: inner })).toBe(false);
  });

  it('derives the wallets of an account', () => {
    const { safe, proxy, deposit } = deriveWallets(OWNER);
    expect([safe, proxy, ...deposit].map((address) => address.toLowerCase())).toEqual([
      '0xd93b25cb943d14d0d34fbaf01fc93a0f8b5f6e47',
      '0x365f0ca36ae1f641e02fe3b7743673da42a13a70',
      '0xbc0ff067b7740eff76c1ca93c875ba6b890d6b50',
      '0xdf8b9e8f9ab23f261f6e1b171b7454ae6e46ba76',
    ]);
  });

  it('hashes a book', () => {
    expect(
      bookHash({
        market: '0xaabbcc',
        asset_id: '100',
        timestamp: '123456789',
        hash: '',
        bids: [
          { price: '0.3', size: '100' },
          { price: '0.4', size: '100' },
        ],
        asks: [
          { price: '0.6', size: '100' },
          { price: '0.7', size: '100' },
        ],
        min_order_size: '100',
        tick_size: '0.01',
        neg_risk: false,
        last_trade_price: '0.5',
      }),
    ).toBe('0458ea5755c9f73d64a14636fa5c36ed460ec394');
  });
});
