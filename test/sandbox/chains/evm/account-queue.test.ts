import { afterEach, describe, expect, it, vi } from 'vitest';
import { TransactionReceiptNotFoundError, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import type { EvmClient } from '../../../../src/sandbox/chains/evm/evm-client.ts';
import { openRecordStore, type RecordStore } from '../../../../src/sandbox/storage/record-store.ts';
import {
  AccountQueue,
  type QueuedTransaction,
} from '../../../../src/sandbox/chains/evm/account-queue.ts';

const ACCOUNT = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const CALL = { to: `0x${'22'.repeat(20)}`, data: '0x' } as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * A chain of counted transactions: takes the next nonce only, and forgets the newest blocks when
 * that is set.
 */
function aChain() {
  const landed: Hex[] = [];
  const handed: Hex[] = [];
  const nonceOf = new Map<Hex, number>();
  const client = {
    chain: { id: 137 },
    getBlockNumber: async () => BigInt(landed.length),
    getTransactionCount: async () => landed.length,
    call: async () => ({ data: '0x' }),
    sendRawTransaction: async ({ serializedTransaction: raw }: { serializedTransaction: Hex }) => {
      handed.push(raw);
      const nonce = nonceOf.get(raw) ?? landed.length;
      nonceOf.set(raw, nonce);
      if (nonce === landed.length) landed.push(raw);
    },
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      throw new TransactionReceiptNotFoundError({ hash });
    },
  };
  return {
    handed,
    // The queue calls exactly these five, with these arguments.
    client: client as unknown as EvmClient,
    goBackTo: (count: number) => landed.splice(count),
  };
}

function aQueue(
  client: EvmClient,
  records: RecordStore<QueuedTransaction> = openRecordStore(null, 1),
  prepare: () => Promise<'ready'> = () => Promise.resolve('ready'),
) {
  const clock = createVirtualClock(0);
  const queue = new AccountQueue({ client, account: ACCOUNT, records, clock, prepare });
  return { clock, records, queue };
}

describe('AccountQueue', () => {
  it('hands the same bytes over again, in their order, when the chain has gone back', async () => {
    const chain = aChain();
    const { queue } = aQueue(chain.client);
    queue.enqueue('a', CALL);
    queue.enqueue('b', CALL);
    await queue.work();
    const [first, second] = chain.handed;
    expect(chain.handed).toHaveLength(2);
    chain.goBackTo(0);
    await queue.work();
    expect(chain.handed.slice(2)).toEqual([first, second]);
    await queue.close();
  });

  it('hands what the process before had signed over again, with the same bytes', async () => {
    const chain = aChain();
    const records = openRecordStore<QueuedTransaction>(null, 1);
    const before = aQueue(chain.client, records).queue;
    before.enqueue('a', CALL);
    await before.work();
    await before.close();
    chain.goBackTo(0);
    const { queue } = aQueue(chain.client, records);
    await queue.work();
    expect(chain.handed).toEqual([chain.handed[0], chain.handed[0]]);
    await queue.close();
  });

  it('says so once, takes nothing more and sends nothing more, when the chain has lost what is no longer kept', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const chain = aChain();
    const { clock, queue, records } = aQueue(chain.client);
    for (const id of ['a', 'b', 'c']) queue.enqueue(id, CALL);
    await queue.work();
    records.remove('a');
    chain.goBackTo(0);
    const restarted = aQueue(chain.client, records);
    await restarted.queue.work();
    await restarted.queue.work();
    expect(() => restarted.queue.enqueue('d', CALL)).toThrow(
      expect.objectContaining({
        code: 'store_corrupt',
        message: expect.stringContaining(ACCOUNT.address),
      }),
    );
    expect([chain.handed.length, restarted.clock.pending, said.mock.calls.length]).toEqual([
      3, 0, 1,
    ]);
    await queue.close();
    expect(clock.pending).toBe(0);
  });

  it('says so once and takes nothing more when something of the sandbox itself is missing', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { queue } = aQueue(aChain().client, undefined, () =>
      Promise.reject(new Error('SafeProxy.json is not there')),
    );
    queue.enqueue('a', CALL);
    await queue.work();
    await queue.work();
    expect(() => queue.enqueue('b', CALL)).toThrow('SafeProxy.json is not there');
    expect(said.mock.calls).toEqual([['sandbox: SafeProxy.json is not there\n']]);
    await queue.close();
  });
});
