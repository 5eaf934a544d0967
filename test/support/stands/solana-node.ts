import { createScaledClock } from '../../../src/adapters/clock/scaled-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createFaultBoard, type FaultBoard } from '../../../src/sandbox/faults.ts';
import { startSolanaRpc, type SolanaRpc } from '../../../src/sandbox/chains/solana/solana-rpc.ts';

/** A node of the sandbox's Solana whose slots pass twenty times as fast, so that real clients need not wait. */
export interface SolanaNode extends SolanaRpc {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  /** Gives lamports and test USDC, in the faucet's own words. */
  give(
    address: string,
    gift: { readonly lamports?: string; readonly usdc?: string },
  ): Promise<readonly string[]>;
}

export async function startSolanaNode(
  options: { readonly folder?: string; readonly clock?: Clock; readonly seed?: number } = {},
): Promise<SolanaNode> {
  const nowMs = Date.now();
  const clock =
    options.clock ?? createScaledClock({ anchorWallMs: nowMs, anchorMs: nowMs, scale: 20 });
  const faults = createFaultBoard(createSeededRandom(11));
  const node = await startSolanaRpc({
    clock,
    seed: options.seed ?? 1,
    folder: options.folder ?? null,
    faults,
  });
  return {
    ...node,
    clock,
    faults,
    async give(address, gift) {
      const response = await fetch(`${node.url}/faucet`, {
        method: 'POST',
        body: JSON.stringify({ address, ...gift }),
      });
      if (!response.ok) throw new Error(await response.text());
      const { signatures } = (await response.json()) as { signatures: readonly string[] }; // the faucet's own words
      return signatures;
    },
  };
}
