import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { Bridge } from '../../../src/ports/bridge.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createDeposits, type Deposits } from '../../../src/services/funding/deposit-addresses.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptBus, createKeptLog } from '../../support/quiet.ts';

const [ADA, BOB] = [asId<UserId>('usr_ada'), asId<UserId>('usr_bob')];
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const running: Deposits[] = [];
afterEach(() => running.splice(0).forEach((deposits) => deposits.stop()));

function fixture() {
  const store = createMemoryStore();
  const clock = createVirtualClock(1_800_000_000_000);
  const asked: string[] = [];
  const behaviour = { down: false };
  const answered = <T>(what: string, answer: T): Promise<T> => {
    asked.push(what);
    return behaviour.down
      ? Promise.reject(
          new AppError('bridge_unavailable', 'the bridge did not answer', { retryable: true }),
        )
      : Promise.resolve(answer);
  };
  const bridge: Bridge = {
    supportedAssets: () =>
      answered('assets', [
        {
          chain: 'BASE' as const,
          chainId: '8453',
          symbol: 'USDC',
          name: 'USD Coin',
          tokenAddress: USDC,
          decimals: 6,
          minimumUsd: '2',
        },
      ]),
    depositAddresses: (wallet) =>
      answered(`deposit ${wallet}`, {
        evm: `0x${wallet}Ab`,
        solana: `s${wallet}`,
        bitcoin: `b${wallet}`,
        tron: `t${wallet}`,
      }),
    status: (address) =>
      answered(`status ${address}`, [
        {
          chainId: '8453',
          tokenAddress: USDC.toLowerCase(),
          amount: '5000000',
          status: 'detected' as const,
          transactionHash: null,
          createdAtMs: null,
        },
      ]),
  };
  const [bus, metrics] = [createKeptBus(), createCountingMetrics()];
  const deposits = createDeposits({
    store,
    bus,
    clock,
    bridge,
    metrics,
    random: createSeededRandom('deposits'),
    log: createKeptLog(),
    commit: createCommit({ store, bus, metrics }),
    safeOf: (userId) => asId<Address>(userId),
  });
  running.push(deposits);
  return { deposits, asked, behaviour, clock };
}

describe('deposit addresses', () => {
  it('are asked for once and then known, also while the bridge is down', async () => {
    const { deposits, asked, behaviour } = fixture();
    const first = await deposits.addresses(ADA);
    behaviour.down = true;
    expect(await deposits.addresses(ADA)).toEqual(first);
    expect(asked).toEqual(['deposit usr_ada']);
    await expect(deposits.addresses(BOB)).rejects.toMatchObject({ code: 'bridge_unavailable' });
  });

  it('show how far deposits are to their owner alone', async () => {
    const { deposits, asked } = fixture();
    const { addresses } = await deposits.addresses(ADA);
    await deposits.addresses(BOB);
    expect(
      await deposits.status(ADA, addresses.evm.toUpperCase().replace('0X', '0x')),
    ).toMatchObject({
      isFresh: true,
      deposits: [
        {
          deposit: { transfer: { amount: '5000000' }, state: 'detected', problem: null },
          asset: { chain: 'BASE' },
        },
      ],
    });
    for (const [userId, address] of [
      [BOB, addresses.evm],
      [ADA, addresses.solana.toUpperCase()],
      [ADA, 'susr_bob'],
      [asId<UserId>('usr_eve'), addresses.evm],
    ] as const) {
      await expect(deposits.status(userId, address)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(asked.filter((each) => each.startsWith('status'))).toEqual([`status ${addresses.evm}`]);
  });

  it('answer with what is on record while the bridge is down, and say so; with nothing on record they say that it is down', async () => {
    const { deposits, behaviour } = fixture();
    const { addresses } = await deposits.addresses(ADA);
    behaviour.down = true;
    await expect(deposits.status(ADA, addresses.evm)).rejects.toMatchObject({
      code: 'bridge_unavailable',
    });
    behaviour.down = false;
    const { deposits: reported } = await deposits.status(ADA, addresses.evm);
    behaviour.down = true;
    expect(await deposits.status(ADA, addresses.evm)).toEqual({
      deposits: reported,
      isFresh: false,
    });
  });

  it('come with the list of assets, which is asked for every ten minutes', async () => {
    const { deposits, asked, clock } = fixture();
    await deposits.assets();
    await deposits.assets();
    await clock.advance(600_000);
    await deposits.assets();
    expect(asked).toEqual(['assets', 'assets']);
  });
});
