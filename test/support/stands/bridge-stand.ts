import { join } from 'node:path';
import { encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { VENUE_A_CHAIN } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { TOKEN_ABI } from '../../../src/sandbox/chains/evm/contract-abis.ts';
import { deploy } from './deploy-chains.ts';
import { startEvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import type { BridgeTransfer } from '../../../src/sandbox/venues/venue-a/bridge/bridge-model.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import type { FaultBoard } from '../../../src/sandbox/faults.ts';
import type { RecordShelf } from '../../../src/sandbox/storage/record-shelf.ts';
import { openRecordShelf } from '../../../src/sandbox/storage/record-shelf.ts';
import type { Bridge } from '../../../src/sandbox/venues/venue-a/bridge/bridge.ts';
import { startBridge } from '../../../src/sandbox/venues/venue-a/bridge/bridge.ts';
import type { SolanaNode } from './solana-node.ts';
import { startSolanaNode } from './solana-node.ts';
import { BASE_CHAIN } from '../../../src/sandbox/chains/evm/chain-addresses.ts';
import type { DeployedChain } from '../../../src/sandbox/chains/evm/deploy-chain.ts';

/** The three local chains a bridge watches. */
export interface BridgeChains {
  readonly polygon: DeployedChain;
  readonly base: DeployedChain;
  readonly solana: SolanaNode;
  /** Pays test dollars to an address out of nothing, and gives the hash. */
  pay(
    chain: 'polygon' | 'base',
    payment: { readonly to: Hex; readonly micros: bigint; readonly token?: Hex },
  ): Promise<Hex>;
  collateralOf(owner: Hex): Promise<bigint>;
  /** A block on each EVM chain. */
  mine(): Promise<void>;
  close(): Promise<void>;
}

/** A bridge on such chains. */
export interface BridgeStand {
  readonly bridge: Bridge;
  readonly faults: FaultBoard;
  /** States each transfer went through, by its id. */
  readonly states: Map<string, string[]>;
  readonly power: { readonly isOut: boolean };
}

export async function startBridgeChains(): Promise<BridgeChains> {
  const [polygon, base, solana] = await Promise.all([
    startEvmNode({ chainId: 137, stateFile: null }).then((node) => deploy('polygon', node)),
    startEvmNode({ chainId: 8453, stateFile: null }).then((node) => deploy('base', node)),
    startSolanaNode({ seed: 7 }),
  ]);
  const chains = { polygon, base };
  return {
    polygon,
    base,
    solana,
    async pay(
      name,
      { to, micros, token = name === 'polygon' ? VENUE_A_CHAIN.usdc : BASE_CHAIN.usdc },
    ) {
      const receipt = await chains[name].sender('deployer').send({
        to: token,
        data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, micros] }),
      });
      return receipt.transactionHash;
    },
    collateralOf: (owner) =>
      polygon.node.client.readContract({
        address: VENUE_A_CHAIN.collateral,
        abi: TOKEN_ABI,
        functionName: 'balanceOf',
        args: [owner],
      }),
    async mine() {
      await Promise.all([polygon, base].map(({ node }) => node.client.mine({ blocks: 1 })));
    },
    async close() {
      await Promise.all([polygon.node.close(), base.node.close(), solana.close()]);
    },
  };
}

/** Starts a bridge; with a folder it remembers what an earlier one there saw. Once `writesLeft` are made no further one gets through, as after a kill. */
export async function startBridgeStand(
  chains: BridgeChains,
  folder: string | null = null,
  { writesLeft = Number.POSITIVE_INFINITY }: { readonly writesLeft?: number } = {},
): Promise<BridgeStand> {
  const faults = createFaultBoard(createSeededRandom(13));
  const states = new Map<string, string[]>();
  const power = { left: writesLeft, isOut: false };
  const shelf = <T>(name: string) =>
    mortal(openRecordShelf<T>(folder === null ? null : join(folder, name), 1), power);
  const bridge = await startBridge({
    polygon: chains.polygon,
    base: chains.base,
    solanaRpcUrl: chains.solana.url,
    faults,
    clock: createWallClock(),
    btcUsdMicros: () => 90_000_000_000n,
    wallets: shelf('bridge-wallets.jsonl'),
    transfers: watched(shelf('bridge-transfers.jsonl'), states),
    transactions: shelf('bridge-transactions.jsonl'),
  });
  return { bridge, faults, states, power };
}

/** Writes go through while there is power. */
function mortal<T>(shelf: RecordShelf<T>, power: { left: number; isOut: boolean }): RecordShelf<T> {
  return {
    ...shelf,
    put(key, record) {
      power.isOut = power.left <= 0;
      if (power.isOut) throw new Error('killed');
      power.left -= 1;
      shelf.put(key, record);
    },
  };
}

function watched(
  shelf: RecordShelf<BridgeTransfer>,
  states: Map<string, string[]>,
): RecordShelf<BridgeTransfer> {
  return {
    ...shelf,
    put(key, transfer) {
      shelf.put(key, transfer);
      const before = states.get(key) ?? [];
      if (before.at(-1) !== transfer.state) states.set(key, [...before, transfer.state]);
    },
  };
}
