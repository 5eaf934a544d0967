import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEndpoint } from '../../../src/adapters/web-push/endpoint.ts';
import { keyFaults } from '../../../src/adapters/web-push/subscription-keys.ts';

const RULES = { hosts: ['push.example', '*.wide.example'], sandboxOrigin: null };
const SANDBOX = 'http://127.0.0.1:4000';
const isAllowed = (endpoint: string, sandboxOrigin: string | null = null) =>
  typeof readEndpoint(endpoint, { ...RULES, sandboxOrigin }) !== 'string';

describe('an endpoint', () => {
  it.each([
    'https://push.example/send/abc?x=1',
    'https://push.example:443/send',
    'https://a.wide.example/send',
    'https://a.b.wide.example/',
    'HTTPS://PUSH.EXAMPLE/x',
  ])('of a known push service is called: %s', (endpoint) => {
    expect(isAllowed(endpoint)).toBe(true);
  });

  it.each([
    'http://push.example/send',
    'https://push.example:8443/',
    'https://wide.example/',
    'https://evilwide.example/',
    'https://push.example.evil.test/',
    'https://evil.test/?https://push.example/',
    'https://user@push.example/',
    'https://push.example@evil.test/',
    'https://push.example/#x',
    'https://127.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://localhost/',
    'file:///etc/passwd',
    'ftp://push.example/',
    'javascript:alert(1)',
    '//push.example/',
    '',
    'https://',
    `https://push.example/${'x'.repeat(2_000)}`,
    'https://push.example\\@evil.test/',
    'https://pu\u0455h.example/',
    'https://push.example\u3002evil.test/',
  ])('that leads anywhere else is not: %s', (endpoint) => {
    expect(isAllowed(endpoint)).toBe(false);
  });

  it('of a sandbox is called where there is one', () => {
    const endpoint = `${SANDBOX}/push/x`;
    expect([isAllowed(endpoint), isAllowed(endpoint, SANDBOX)]).toEqual([false, true]);
  });

  it('of a sandbox of before its last start is refused with the one that is called now', () => {
    const said = (sandboxOrigin: string | null) =>
      readEndpoint('http://127.0.0.1:3999/push/x', { ...RULES, sandboxOrigin });
    expect(said(SANDBOX)).toContain(`${SANDBOX}/ as it is since the last start`);
    expect(said(null)).toBe('must begin with https://');
  });

  it.each([
    'http://127.0.0.1:4001/push/x',
    'http://127.0.0.1/',
    'http://[::1]:4000/x',
    'http://localhost:4000/x',
    'https://127.0.0.1:4000/x',
    'http://user@127.0.0.1:4000/x',
    'http://127.0.0.2:80/',
    'http://10.0.0.1/',
    'http://127.0.0.1.evil.test/',
    'http://localhost.evil.test/',
    'https://10.0.0.1/',
  ])('that is any other port or machine is not called even then: %s', (endpoint) => {
    expect(isAllowed(endpoint, SANDBOX)).toBe(false);
  });

  it('never leads to a host that is not on the list, whatever it is made of', () => {
    const part = fc.oneof(
      fc.constantFrom(
        'push.example',
        'wide.example',
        'evil.test',
        '@',
        '/',
        ':',
        '\\',
        '?',
        '#',
        '.',
        '%2e',
        'https://',
        'http://',
        '\t',
        '\u3002',
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const url = readEndpoint(`https://${parts.join('')}`, RULES);
        if (typeof url !== 'string')
          expect(url.hostname === 'push.example' || url.hostname.endsWith('.wide.example')).toBe(
            true,
          );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('keys of a subscription', () => {
  const good = {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const offCurve = Buffer.from(good.p256dh, 'base64url');
  offCurve[64] = (offCurve[64] ?? 0) ^ 1;

  it.each([
    ['that are right', good, []],
    [
      'with a point that is not on the curve',
      { ...good, p256dh: offCurve.toString('base64url') },
      ['/keys/p256dh'],
    ],
    [
      'with a compressed point',
      {
        ...good,
        p256dh: Buffer.concat([
          Buffer.from([2]),
          Buffer.from(good.p256dh, 'base64url').subarray(1, 33),
        ]).toString('base64url'),
      },
      ['/keys/p256dh'],
    ],
    [
      'of zeros',
      {
        p256dh: Buffer.alloc(65).toString('base64url'),
        auth: Buffer.alloc(15).toString('base64url'),
      },
      ['/keys/p256dh', '/keys/auth'],
    ],
    [
      'of other characters',
      { p256dh: `${good.p256dh.slice(0, -1)}+`, auth: '../../../../../etc' },
      ['/keys/p256dh', '/keys/auth'],
    ],
    ['of nothing', { p256dh: '', auth: '' }, ['/keys/p256dh', '/keys/auth']],
  ])('%s', (_what, keys, paths) => {
    expect(keyFaults(keys).map(({ path }) => path)).toEqual(paths);
  });
});
