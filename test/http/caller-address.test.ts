import { describe, expect, it } from 'vitest';
import { createCallerAddresses } from '../../src/http/caller-address.ts';

const MAPPED = '0000:0000:0000:0000:0000:ffff:0a00:0007';
const { of, isUnbounded } = createCallerAddresses(['10.0.0.7', '10.0.0.8', 'fd00::1']);

describe('what a caller is counted by', () => {
  it.each([
    ['its own address', '203.0.113.9', undefined, '203.0.113.9'],
    ['its own, whatever it says of others', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    [
      'of IPv6 its network',
      '2001:0db8:0001:0002:0003:0004:0005:0006',
      undefined,
      '2001:0db8:0001:0002::/64',
    ],
    ['whom a trusted proxy was called by', '10.0.0.7', '198.51.100.1', '198.51.100.1'],
    ['the same where the server writes IPv4 within IPv6', MAPPED, '198.51.100.1', '198.51.100.1'],
    ['the last that is no proxy', '10.0.0.7', '192.0.2.1, 198.51.100.1, 10.0.0.8', '198.51.100.1'],
    ['a network behind a proxy', '10.0.0.7', '[2001:db8:1:2::9]:4711', '2001:0db8:0001:0002::/64'],
    ['an address with a port', '10.0.0.7', '198.51.100.1:50123', '198.51.100.1'],
    ['the proxy where it says nothing', '10.0.0.7', undefined, '10.0.0.7'],
    ['the proxy where what it says is no address', '10.0.0.7', '198.51.100.1, unknown', '10.0.0.7'],
    ['the proxy where it names none but proxies', '10.0.0.7', '10.0.0.8', '10.0.0.7'],
  ])('is %s', (_, peer, forwarded, address) => {
    expect(of(peer, forwarded)).toBe(address);
  });

  it.each([
    ['127.0.0.1', true],
    ['0000:0000:0000:0000:0000:0000:0000:0001', true],
    ['0000:0000:0000:0000:0000:ffff:7f00:0001', true],
    ['10.0.0.7', true],
    ['fd00:0000:0000:0000:0000:0000:0000:0001', true],
    ['10.0.0.9', false],
    ['2001:0db8:0001:0002:0003:0004:0005:0006', false],
  ])('is without a bound on connections for this machine and proxies alone: %s', (peer, isFree) => {
    expect(isUnbounded(peer)).toBe(isFree);
  });
});
