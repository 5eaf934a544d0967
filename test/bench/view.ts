import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeFunctionData,
  encodeFunctionResult,
  multicall3Abi,
  numberToHex,
  type Hex,
} from 'viem';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createEvmChain } from '../../src/adapters/evm/evm-chain.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { asId, type Address, type SolanaAddress, type UserId } from '../../src/domain/ids.ts';
import { WEB3_CHAINS, type Web3ChainId } from '../../src/domain/web3-chains.ts';
import { viewWallets } from '../../src/http/views/wallet.ts';
import type { EvmChain } from '../../src/ports/evm.ts';
import type { Solana } from '../../src/ports/solana.ts';
import { createCommit } from '../../src/services/commit.ts';
import { createTokenPrices } from '../../src/services/tokens/token-prices.ts';
import { createAddedTokens } from '../../src/services/web3/added-tokens.ts';
import { createWalletViews } from '../../src/services/web3/wallet-views.ts';
import { startApi } from '../http/api.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { timeEach } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = { rounds: 2_000, warmUp: 300 };
const ROUTE = '/api/web3/view';
const OWNER = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const HANGING: Web3ChainId = 'ARBITRUM';

/**
 * The view of wallets: over HTTP where chains answer from memory and each tenth view is read anew;
 * and for the first time through sockets, where one chain and the source of prices never answer.
 */
export async function run(): Promise<readonly Row[]> {
  const api = await startApi();
  try {
    const { token } = await api.signIn();
    const warm = await timeEach(async () => {
      await api.clock.advance(100);
      const { status } = await api.request('GET', ROUTE, { token });
      if (status !== 200) throw new Error(`the view answered ${status}`);
    }, ROUNDS);
    return [
      ...(['p50', 'p99'] as const).map((figure) => ({
        work: `GET /api/web3/view over HTTP, warm, ${figure}`,
        ours: warm[figure] / 1_000,
        peer: null,
        unit: 'ms',
        bar: { atMost: 5 },
      })),
      {
        work: 'the same, cold, one chain and the source of prices hang',
        ours: await coldView(),
        peer: null,
        unit: 'ms',
        bar: { atMost: 3_000 },
      },
    ];
  } finally {
    await api.close();
  }
}

/** Milliseconds of the clock on the wall; the answer must name the chain that hangs. */
async function coldView(): Promise<number> {
  const servers: Server[] = [];
  try {
    const nodes = new Map<Web3ChainId, EvmChain>();
    for (const { chain, chainId } of WEB3_CHAINS) {
      if (chainId === null) continue;
      const server = await startNode(chainId, chain === HANGING);
      servers.push(server);
      // a listening server on a port has an address of this form
      const { port } = server.address() as AddressInfo;
      const rpcUrl = `http://127.0.0.1:${port}`;
      nodes.set(chain, createEvmChain({ chainId, rpcUrl, metrics: createKeptMetrics() }));
    }
    const views = viewsOver(nodes);
    const startedAt = performance.now();
    const answer = viewWallets(await views.view(asId<UserId>('usr_1')));
    const tookMs = performance.now() - startedAt;
    if (!answer.partial || answer.errors.length !== 1 || !answer.errors[0]?.startsWith(HANGING))
      throw new Error(`the view was not marked: ${answer.errors.join()}`);
    return tookMs;
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

function viewsOver(nodes: ReadonlyMap<Web3ChainId, EvmChain>) {
  const clock = createWallClock();
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const polygon = nodes.get('POLYGON');
  if (polygon === undefined) throw new Error('invariant broken: Polygon is in the table');
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const solana: Solana = {
    lamports: async () => 2_000_000_000n,
    tokenAccounts: async () => [],
    tokenDecimals: unused,
    latestBlockhash: unused,
    blockHeight: unused,
    send: unused,
    status: unused,
    feePaid: unused,
  };
  return createWalletViews({
    walletsOf: () => ({
      evm: OWNER,
      safe: OWNER,
      solana: asId<SolanaAddress>('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB'),
    }),
    evm: { ...Object.fromEntries(nodes), POLYGON: polygon },
    solana,
    prices: createTokenPrices({
      data: { prices: () => new Promise<never>(() => undefined) },
      assetPrice: () => null,
      clock,
      log: createKeptLog(),
    }),
    ownTokensOf: () => [],
    cashAccountOf: () => null,
    added: createAddedTokens({ store, commit, clock }),
    indexed: null,
    routedOnSolana: async () => [],
    textsOf: async () => null,
    clock,
  });
}

/** A node at which an owner holds one whole unit of everything, or one that never answers. */
async function startNode(chainId: number, isHanging: boolean): Promise<Server> {
  const server = createServer((request, response) => {
    void readCall(request).then(({ id, method, params }) => {
      if (isHanging) return;
      response.setHeader('content-type', 'application/json');
      const result =
        method === 'eth_chainId' ? numberToHex(chainId) : balancesFor(params?.[0].data ?? '0x');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly [{ readonly data: Hex }];
}

async function readCall(request: IncomingMessage): Promise<RpcCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // bytes: no encoding is set
  // the adapter's own calls: of its chain's number, and of contracts
  return JSON.parse(Buffer.concat(chunks).toString()) as RpcCall;
}

function balancesFor(data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data });
  if (functionName !== 'aggregate3') throw new Error(`not asked for here: ${functionName}`);
  return encodeFunctionResult({
    abi: multicall3Abi,
    functionName,
    result: args[0].map(() => ({
      success: true,
      returnData: numberToHex(1_000_000, { size: 32 }),
    })),
  });
}
