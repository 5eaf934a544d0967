import { describe, expect, it } from 'vitest';
import { fullAddress } from '../../../src/http/listener/node-response.ts';

describe('the address of a peer', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '0000:0000:0000:0000:0000:0000:0000:0001'],
    ['::', '0000:0000:0000:0000:0000:0000:0000:0000'],
    ['::ffff:127.0.0.1', '0000:0000:0000:0000:0000:ffff:7f00:0001'],
    ['2001:db8::8:800:200c:417a', '2001:0db8:0000:0000:0008:0800:200c:417a'],
    ['fe80::1%eth0', 'fe80:0000:0000:0000:0000:0000:0000:0001'],
    ['1:2:3:4:5:6:7:8', '0001:0002:0003:0004:0005:0006:0007:0008'],
  ])('%s is written in full', (address, full) => {
    expect(fullAddress(address)).toBe(full);
  });
});
