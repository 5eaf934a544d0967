import { createECDH, createPrivateKey, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../../../src/sandbox/faults.ts';
import { openMessage } from '../../../../src/sandbox/identity/push/browser-keys.ts';
import { startPush } from '../../../../src/sandbox/identity/push/push.ts';
import type { Listening } from '../../../../src/sandbox/wire/http-server.ts';
import { browserOf, messagesOf, subscribeBrowser } from '../../../support/fakes/push-browsers.ts';
import type { PushSubscription } from '../../../../src/ports/push.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/** RFC 8291, section 5: the example message. */
const RFC_8291 = {
  keys: {
    publicKey: bytes(
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    ),
    privateKey: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  },
  body: bytes(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  ),
};

describe("a browser's keys", () => {
  it('open the example message of RFC 8291', () => {
    expect(openMessage(RFC_8291.keys, RFC_8291.body)).toBe(
      'When I grow up, I want to be a watermelon',
    );
  });

  it('open nothing that was changed anywhere', () => {
    const opened = Array.from(RFC_8291.body, (_byte, index) => {
      const changed = Buffer.from(RFC_8291.body);
      changed[index] = (changed[index] ?? 0) ^ 0x01;
      try {
        return [index, openMessage(RFC_8291.keys, changed)];
      } catch {
        return null;
      }
    });
    // The record size may be any that holds the record: only its highest bytes can be changed
    // without harm.
    expect(
      opened
        .filter((each) => each !== null)
        .every((each) => Array.isArray(each) && Number(each[0]) >= 16 && Number(each[0]) < 20),
    ).toBe(true);
  });
});

const NOW_MS = 1_800_000_000_000;
const curve = createECDH('prime256v1');
curve.setPrivateKey(Buffer.alloc(32, 7));
const PUBLIC_KEY = curve.getPublicKey('base64url');
const point = curve.getPublicKey();
const SIGNING_KEY = createPrivateKey({
  key: {
    kty: 'EC',
    crv: 'P-256',
    d: Buffer.alloc(32, 7).toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  },
  format: 'jwk',
});

function vapid(
  claims: Readonly<Record<string, unknown>>,
  { alg = 'ES256', key = PUBLIC_KEY } = {},
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ typ: 'JWT', alg })}.${part(claims)}`;
  return `vapid t=${head}.${sign('sha256', Buffer.from(head), { key: SIGNING_KEY, dsaEncoding: 'ieee-p1363' }).toString('base64url')}, k=${key}`;
}

describe("the sandbox's push service", () => {
  let server: Listening;
  let browser: PushSubscription;
  beforeEach(async () => {
    server = await startPush({
      clock: createVirtualClock(NOW_MS),
      faults: createFaultBoard(createSeededRandom(1)),
    });
    browser = await subscribeBrowser(server.url, PUBLIC_KEY);
  });
  afterEach(() => server.close());

  const claims = (changes: Readonly<Record<string, unknown>> = {}) => ({
    aud: server.url,
    exp: NOW_MS / 1_000 + 60,
    sub: 'mailto:a@b.example',
    ...changes,
  });
  const send = async (
    headers: Readonly<Record<string, string>> = {},
    body: Buffer = RFC_8291.body,
  ): Promise<number> => {
    const response = await fetch(browser.endpoint, {
      method: 'POST',
      headers: {
        authorization: vapid(claims()),
        ttl: '60',
        'content-encoding': 'aes128gcm',
        ...headers,
      },
      body: new Uint8Array(body),
    });
    return response.status;
  };

  it('takes a well-signed message, and its browser drops what its keys do not open', async () => {
    expect([
      await send(),
      (await messagesOf(server.url, browser)).map(({ text, ttlSeconds }) => [text, ttlSeconds]),
    ]).toEqual([201, [[null, 60]]]);
  });

  it.each<[string, () => Readonly<Record<string, string>>, number]>([
    ['no signature', () => ({ authorization: '' }), 403],
    [
      'a signature for another service',
      () => ({ authorization: vapid(claims({ aud: 'https://push.example' })) }),
      403,
    ],
    [
      'an expired signature',
      () => ({ authorization: vapid(claims({ exp: NOW_MS / 1_000 })) }),
      403,
    ],
    [
      'a signature good for two days',
      () => ({ authorization: vapid(claims({ exp: NOW_MS / 1_000 + 172_800 })) }),
      403,
    ],
    [
      'a signature without a contact',
      () => ({ authorization: vapid(claims({ sub: undefined })) }),
      403,
    ],
    [
      'a signature of another algorithm',
      () => ({ authorization: vapid(claims(), { alg: 'none' }) }),
      403,
    ],
    [
      'another key than the browser subscribed with',
      () => ({
        authorization: vapid(claims(), { key: RFC_8291.keys.publicKey.toString('base64url') }),
      }),
      403,
    ],
    [
      'a changed signature',
      () => ({
        authorization: vapid(claims()).replace(
          /\.([\w-])([\w-]+), k=/,
          (_all, first: string, rest: string) => `.${first === 'A' ? 'B' : 'A'}${rest}, k=`,
        ),
      }),
      403,
    ],
    ['no TTL', () => ({ ttl: '' }), 400],
    ['another encoding', () => ({ 'content-encoding': 'aesgcm' }), 415],
    ['a topic of 33 characters', () => ({ topic: 'x'.repeat(33) }), 400],
  ])('refuses %s', async (_what, headers, status) => {
    expect(await send(headers())).toBe(status);
  });

  it('refuses a body of more than 4096 bytes', async () => {
    expect([await send({}, Buffer.alloc(4_096)), await send({}, Buffer.alloc(4_097))]).toEqual([
      201, 413,
    ]);
  });

  it('answers 410 once a browser has unsubscribed, and 404 for browsers and paths that never were', async () => {
    const { status } = await fetch(`${server.url}/browsers/${browserOf(browser)}`, {
      method: 'DELETE',
    });
    expect([
      status,
      await send(),
      (await fetch(`${server.url}/browsers/unknown/messages`)).status,
      (await fetch(`${server.url}/else`)).status,
    ]).toEqual([204, 410, 404, 404]);
  });

  it('subscribes browsers with a point of the curve only', async () => {
    const response = await fetch(`${server.url}/browsers`, {
      method: 'POST',
      body: JSON.stringify({ applicationServerKey: Buffer.alloc(65, 4).toString('base64url') }),
    });
    expect(response.status).toBe(400);
  });
});
