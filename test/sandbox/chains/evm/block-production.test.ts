import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { produceBlocks } from '../../../../src/sandbox/chains/evm/block-production.ts';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import { openLocalChain } from '../../../../src/sandbox/chains/evm/local-chain.ts';
import { eventually } from '../../../support/eventually.ts';

let node: EvmNode;

beforeAll(async () => {
  node = await startEvmNode({ chainId: 137, stateFile: null });
});
afterAll(() => node.close());

describe('block production', () => {
  it.each([
    ["the wall clock's", 1, LOCAL_CHAIN.blockMs],
    ['ten times that', 10, LOCAL_CHAIN.blockMs / 10],
    ['a thousand times that, which no node keeps up with', 1_000, LOCAL_CHAIN.blockMinimumMs],
  ])(
    "puts empty blocks on a transaction, one each block time at the sandbox's pace, and then lets the chain rest: %s",
    async (_, speed, blockMs) => {
      const clock = createVirtualClock(0);
      const chain = await openLocalChain(node, 7);
      const { blockNumber } = await chain
        .sender('deployer')
        .send({ to: chain.sender('bridge').address, valueWei: 1n });
      const blocks = produceBlocks(node, clock, speed);
      for (let made = 1n; made <= LOCAL_CHAIN.blocksOnTop; made += 1n) {
        await clock.advance(blockMs - 1);
        expect(clock.pending).toBe(1);
        await clock.advance(1);
        await eventually(async () =>
          expect(await node.client.getBlockNumber()).toBe(blockNumber + made),
        );
        // The next turn is counted from the end of this one.
        await eventually(async () => expect(clock.pending).toBe(1));
      }
      for (let turn = 0; turn < 3; turn += 1) {
        await clock.advance(blockMs);
        await eventually(async () => expect(clock.pending).toBe(1));
      }
      expect(await node.client.getBlockNumber()).toBe(
        blockNumber + BigInt(LOCAL_CHAIN.blocksOnTop),
      );
      await blocks.stop();
      expect(clock.pending).toBe(0);
    },
  );

  it('puts as many on a chain at rest that it finds, whose node knows no earlier balances', async () => {
    const clock = createVirtualClock(0);
    const head = await node.client.getBlockNumber();
    const blocks = produceBlocks(node, clock, 1);
    for (let turn = 0; turn <= LOCAL_CHAIN.blocksOnTop; turn += 1) {
      await clock.advance(LOCAL_CHAIN.blockMs);
      await eventually(async () => expect(clock.pending).toBe(1));
    }
    await blocks.stop();
    expect(await node.client.getBlockNumber()).toBe(head + BigInt(LOCAL_CHAIN.blocksOnTop));
  });
});
