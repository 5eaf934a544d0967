import { describe, expect, it } from 'vitest';
import { redactFields, REDACTED, redactText } from '../../../src/adapters/log/redact.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { PublicHash } from '../../../src/ports/log.ts';

// Made up for this test; none of them opens anything.
const HEX = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfYSJ9.c2lnbmF0dXJlLXRleHQ';
const BASE64 = 'bm90LWEtcmVhbC1zZWNyZXQ_aGVsbG8=';

const isClean = (value: unknown): void => {
  const text = JSON.stringify(value).toLowerCase();
  for (const secret of [HEX, JWT, BASE64, 'pk_live0123456789'])
    expect(text).not.toContain(secret.toLowerCase());
};

describe('L12: no secret reaches a log line', () => {
  it.each([
    'secret',
    'apiSecret',
    'api_secret',
    'passphrase',
    'password',
    'mnemonic',
    'privateKey',
    'private_key',
    'masterKey',
    'apiKey',
    'api_key',
    'sealed',
    'signature',
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'jwt',
    'token',
    'accessToken',
    'refresh_token',
    'otp',
    'phone',
    'POLY_PASSPHRASE',
    'clientSecret',
  ])('by the field name %s, at any depth', (name) => {
    const redacted = redactFields({ [name]: 'plain', deep: [{ [name]: { a: 'plain' } }] });
    expect(redacted).toEqual({ [name]: REDACTED, deep: [{ [name]: REDACTED }] });
  });

  it.each([
    ['a private key with 0x', `key 0x${HEX}`],
    ['a private key without', `key=${HEX}.`],
    ['in capitals', HEX.toUpperCase()],
    ['a signature', `0x${HEX}${HEX}1b`],
    ['a JWT', `token ${JWT} sent`],
    ['a bearer header', `Authorization: Bearer ${BASE64}`],
    ['an API key', 'used pk_live0123456789'],
    ['a secret in a URL', `https://x/y?api_key=${BASE64}&a=1`],
    ['a secret in a body', `{"secret":"${BASE64}"}`],
  ])('by its form: %s', (_, text) => {
    const redacted = redactText(text);
    isClean(redacted);
    expect(redacted).toContain(REDACTED);
  });

  it('in an error, its cause and its stack', () => {
    const cause = new Error(`request with Bearer ${BASE64} failed`);
    const error = new AppError('venue_unavailable', `key 0x${HEX} refused`, { cause });
    const redacted = redactFields({ cause: error });
    isClean(redacted);
    expect(redacted).toMatchObject({
      cause: {
        name: 'AppError',
        code: 'venue_unavailable',
        message: `key ${REDACTED} refused`,
        cause: { name: 'Error' },
      },
    });
  });

  it('in arrays, nested objects and class instances', () => {
    class Wallet {
      readonly note = `0x${HEX}`;
    }
    isClean(
      redactFields({ list: [JWT, [HEX]], wallet: new Wallet(), bytes: Buffer.from(HEX, 'hex') }),
    );
  });
});

describe('what is public stays readable', () => {
  it.each([
    'orderId',
    'order_id',
    'marketId',
    'transactionHash',
    'sentHash',
    'receivedHash',
    'conditionId',
    'hash',
  ])('a 32-byte name in %s', (name) => {
    expect(redactFields({ [name]: `0x${HEX}` })).toEqual({ [name]: `0x${HEX}` });
  });

  it('a hash that its type calls public, under the name of one and nowhere else', () => {
    expect(
      redactFields({ hash: new PublicHash(HEX), link: { hash: new PublicHash(HEX) } }),
    ).toEqual({ hash: HEX, link: { hash: HEX } });
    isClean(
      redactFields({
        hash: HEX,
        note: new PublicHash(HEX),
        secret: new PublicHash(HEX),
        key: { hex: HEX },
      }),
    );
  });

  it('outcome tokens, addresses, numbers, sentences', () => {
    const fields = {
      tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
      address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
      reason: 'no match',
      amount: 5_000_000,
      ok: true,
      none: null,
      text: '7132104567925221259462638553270691275033272857194253228963137931',
    };
    expect(redactFields(fields)).toEqual(fields);
  });
});

it('bounds what it copies and never throws', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const redacted = redactFields({
    cycle,
    long: 'x'.repeat(10_000),
    wide: Array.from({ length: 1_000 }, () => 1),
    big: 10n,
    run: () => 1,
  });
  expect(JSON.stringify(redacted).length).toBeLessThan(4_000);
  expect(redacted).toMatchObject({ big: '10', run: '[function]' });
});
