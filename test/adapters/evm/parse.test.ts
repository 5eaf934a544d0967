import { describe, expect, it } from 'vitest';
import { readEvents, readReceipt } from '../../../src/adapters/evm/parse.ts';
import type { Hex } from '../../../src/ports/evm.ts';

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const event = (change: object = {}) => ({
  address: '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb',
  topics: [HASH],
  data: '0x00',
  blockNumber: '0x64',
  transactionHash: HASH,
  logIndex: '0x2',
  blockHash: HASH,
  removed: false,
  ...change,
});
const receipt = (change: object = {}) => ({
  transactionHash: HASH,
  status: '0x1',
  blockNumber: '0x64',
  blockHash: HASH,
  logs: [event()],
  ...change,
});
const read = (change: object) => readReceipt(receipt(change), { asked: HASH, newest: 109 });

describe('a receipt', () => {
  it('counts the blocks on it, its own included', () => {
    expect(read({})).toMatchObject({
      succeeded: true,
      blockNumber: 100,
      confirmations: 10,
      transactionHash: HASH,
    });
    expect(readReceipt(receipt(), { asked: HASH, newest: 99 })).toMatchObject({ confirmations: 1 });
  });

  it('says what the network took where the node shows it', () => {
    expect(read({})).not.toHaveProperty('fee');
    expect(read({ gasUsed: '0x5208', effectiveGasPrice: '0x2540be400' })).toMatchObject({
      fee: 210_000_000_000_000n,
    });
    // with what publishing on another chain takes
    expect(
      read({ gasUsed: '0x5208', effectiveGasPrice: '0x2540be400', l1Fee: '0x7' }),
    ).toMatchObject({ fee: 210_000_000_000_007n });
  });

  it('is nothing where the node knows no such transaction', () => {
    expect(readReceipt(null, { asked: HASH, newest: 109 })).toBeNull();
  });

  it.each([
    ['of a transaction that is in no block yet', { blockNumber: null }],
    ['without its block', { blockNumber: undefined }],
    ['of a block whose number is no number', { blockNumber: '' }],
    ['of a block beyond every chain', { blockNumber: '0xffffffffffffffffff' }],
    ['without a verdict', { status: undefined }],
    ['with an unknown verdict', { status: '0x2' }],
    ['of another transaction', { transactionHash: `0x${'cd'.repeat(32)}` }],
    ['without its events', { logs: undefined }],
    ['with an event that is in no block', { logs: [event({ blockNumber: null })] }],
    ['with an event whose data are no bytes', { logs: [event({ data: '0xzz' })] }],
  ])('%s proves nothing', (_what, change) => {
    expect(read(change)).toBe('unreadable');
  });

  it('names its transaction in small letters, whichever node writes it', () => {
    const capitals = `0x${'AB'.repeat(32)}`;
    expect(
      read({
        transactionHash: capitals,
        logs: [event({ transactionHash: capitals, topics: [capitals] })],
      }),
    ).toMatchObject({ transactionHash: HASH, logs: [{ transactionHash: HASH, topics: [HASH] }] });
  });
});

describe('events', () => {
  it('are given oldest first, each once, without those that were taken back', () => {
    const reported = [
      event({ blockNumber: '0x66' }),
      event({ logIndex: '0x3' }),
      event(),
      event(),
      event({ logIndex: '0x4', removed: true }),
    ].map((row, index) =>
      index === 0 ? { ...row, transactionHash: `0x${'cd'.repeat(32)}` } : row,
    );
    const events = readEvents(reported);
    expect(
      events !== 'unreadable' && events.map(({ blockNumber, logIndex }) => [blockNumber, logIndex]),
    ).toEqual([
      [100, 2],
      [100, 3],
      [102, 2],
    ]);
  });

  it.each([
    [{ error: 'too many' }],
    [null],
    [[event({ logIndex: 'two' })]],
    [[event({ address: '0x12' })]],
  ])('without meaning are none: %j', (reported) => {
    expect(readEvents(reported)).toBe('unreadable');
  });
});
