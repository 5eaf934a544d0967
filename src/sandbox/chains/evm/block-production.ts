import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock, Timer } from '../../../ports/clock.ts';
import type { EvmNode } from './evm-node.ts';

/**
 * Adds empty blocks on top of a transaction until so many are on it, one each block time of the
 * sandbox's own pace (`speed`: market seconds in a second of `clock`), and then rests:
 * confirmations grow as on a real chain, and a chain where nothing happens takes no memory (an
 * empty block costs about 17 KB, local-stack.md). A chain it finds gets as many.
 */
export function produceBlocks(
  node: EvmNode,
  clock: Clock,
  speed: number,
): { stop(): Promise<void> } {
  const blockMs = Math.max(LOCAL_CHAIN.blockMinimumMs, LOCAL_CHAIN.blockMs / speed);
  let seen = -1;
  let busy = -1;
  let isResting = false;
  let isStopped = false;
  let timer: Timer | null = null;
  let running: Promise<void> = Promise.resolve();

  async function produce(): Promise<void> {
    const head = Number(await node.client.getBlockNumber());
    // A restored chain may have been stopped at once after its last transaction, and its node knows
    // no balances of earlier blocks: those that are asked for lie some blocks back.
    const first = seen < 0 ? head : Math.min(seen + 1, head);
    if (seen < 0) busy = head;
    // A chain that went back is looked at again.
    for (
      let number = Math.max(0, first, head - LOCAL_CHAIN.blocksOnTop);
      number <= head;
      number += 1
    ) {
      const { transactions } = await node.client.getBlock({ blockNumber: BigInt(number) });
      if (transactions.length > 0) busy = number;
    }
    busy = Math.min(busy, head);
    seen = head;
    isResting = busy < 0 || head - busy >= LOCAL_CHAIN.blocksOnTop;
    if (!isResting) await node.addBlock();
  }

  function schedule(): void {
    if (isStopped) return;
    const waitMs = isResting ? Math.max(blockMs, LOCAL_CHAIN.restMs) : blockMs;
    timer = clock.after(waitMs, () => {
      // A node that does not answer has ended or is busy: the next turn asks again.
      running = produce()
        .catch(() => undefined)
        .then(schedule);
    });
  }

  schedule();
  return {
    async stop() {
      isStopped = true;
      timer?.cancel();
      await running;
    },
  };
}
