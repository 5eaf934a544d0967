import { address } from '@solana/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SOLANA_SANDBOX } from '../../../../../config/limits/sandbox-chains.ts';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../../../src/adapters/clock/virtual-clock.ts';
import { bridgeAddresses } from '../../../../../src/sandbox/venues/venue-a/bridge/bridge-addresses.ts';
import { createSolanaWatch } from '../../../../../src/sandbox/venues/venue-a/bridge/bridge-solana-watch.ts';
import { startSolanaNode, type SolanaNode } from '../../../../support/fixtures/solana-node.ts';

const { svm: OWNER } = bridgeAddresses(7, `0x${'5'.repeat(40)}`);

describe('the watch on deposit addresses on Solana', () => {
  let clock: VirtualClock;
  let node: SolanaNode;
  let seen: string[];
  beforeEach(async () => {
    clock = createVirtualClock(Date.UTC(2026, 0, 1));
    node = await startSolanaNode({ clock });
    seen = [];
  });
  afterEach(() => node.close());
  /** Lands in the slot under way, which its end confirms. */
  const pay = (micros: bigint): unknown => node.faucet.giveUsdc(address(OWNER), micros);
  const slot = (): Promise<void> => clock.advance(SOLANA_SANDBOX.slotMs);

  it('hands over a payment it saw before the chain confirmed it, the first and a later one, once each', async () => {
    const watch = createSolanaWatch(node.url);
    const poll = (): Promise<void> => watch.poll([OWNER], ({ amount }) => seen.push(amount));
    pay(7_500_000n);
    await poll();
    expect(seen).toEqual([]);
    await slot();
    await poll();
    await poll();
    expect(seen).toEqual(['7500000']);
    pay(2_500_000n);
    await poll();
    await slot();
    await poll();
    await poll();
    expect(seen).toEqual(['7500000', '2500000']);
  });

  it('hands over a payment again until it was taken', async () => {
    const watch = createSolanaWatch(node.url);
    await node.give(OWNER, { usdc: '1' });
    await slot();
    await expect(
      watch.poll([OWNER], () => {
        throw new Error('cut short');
      }),
    ).rejects.toThrow('cut short');
    await watch.poll([OWNER], ({ amount }) => seen.push(amount));
    expect(seen).toEqual(['1000000']);
  });
});
