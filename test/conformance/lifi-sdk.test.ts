import { VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTER_CHAIN_IDS } from '../../src/adapters/router/chain-ids.ts';
import { signSolanaMessage } from '../../src/adapters/keys/solana-key.ts';
import {
  convertQuoteToRoute,
  createClient,
  createWalletClient,
  defineChain,
  EthereumProvider,
  executeRoute,
  getChains,
  getConnections,
  getGasRecommendation,
  getQuote,
  getRoutes,
  getTokens,
  http,
  privateKeyToAccount,
  SolanaProvider,
} from '../peers/lifi.ts';
import { sampled } from '../support/sampled.ts';
import {
  EVM_KEY,
  openSwapWorld,
  SOLANA_SEED,
  WALLETS,
  type SwapWorld,
} from '../support/worlds/swap-world.ts';

const COIN = '0x0000000000000000000000000000000000000000';
const SOL = '11111111111111111111111111111111';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const BSC_USDC = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d';
let world: SwapWorld;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  world = await openSwapWorld(['ARBITRUM', 'BSC']);
  await world.give('ARBITRUM', 1, 100);
  await world.give('SOLANA', 1, 100);
  const rpcUrl = world.chains.rpcUrls.ARBITRUM;
  const evm = createWalletClient({
    account: privateKeyToAccount(EVM_KEY),
    pollingInterval: 50,
    transport: http(rpcUrl),
    chain: defineChain({
      id: 42_161,
      name: 'Arbitrum',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
  });
  client = createClient({
    integrator: 'predictd',
    apiUrl: `${world.url}/v1`,
    disableVersionCheck: true,
    rpcUrls: {
      42161: [rpcUrl],
      56: [world.chains.rpcUrls.BSC],
      [ROUTER_CHAIN_IDS.SOLANA]: [world.solanaRpc.url],
    },
    providers: [
      EthereumProvider({ getWalletClient: async () => evm, switchChain: async () => evm }),
      SolanaProvider({ getWallet: async () => solanaWallet() }),
    ],
  } as Parameters<typeof createClient>[0]); // chain ids are an enum there
});
afterAll(() => world.close());

/** A wallet as the standard of wallets has it; the kit's own adapter does not work. */
function solanaWallet() {
  const account = {
    address: WALLETS.solana,
    publicKey: new Uint8Array(32),
    chains: ['solana:mainnet'],
    features: ['solana:signTransaction'],
  };
  return {
    version: '1.0.0',
    name: 'Test',
    icon: 'data:image/png;base64,',
    chains: ['solana:mainnet'],
    accounts: [account],
    features: {
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        async signTransaction(...inputs: { readonly transaction: Uint8Array }[]) {
          return inputs.map(({ transaction }) => {
            const read = VersionedTransaction.deserialize(transaction);
            read.signatures[0] = signSolanaMessage(SOLANA_SEED, read.message.serialize());
            return { signedTransaction: read.serialize() };
          });
        },
      },
    },
  } as never; // as much of a wallet as the provider asks for
}

const { SOLANA } = ROUTER_CHAIN_IDS;
const SWAPS = [
  ['a token for the coin', 42_161, USDC, 42_161, COIN, '5000000'],
  ['the coin for a token', 42_161, COIN, 42_161, USDC, '1000000000000000'],
  ['SOL for a token', SOLANA, SOL, SOLANA, SOLANA_USDC, '20000000'],
] as const;
/** The kit waits for seconds between its questions. */
const BRIDGES = [
  ['a bridge between EVM chains', 42_161, USDC, 56, BSC_USDC, '5000000'],
  ['a bridge to Solana', 42_161, USDC, SOLANA, SOL, '5000000'],
  ['a bridge from Solana', SOLANA, SOLANA_USDC, 42_161, COIN, '5000000'],
] as const;

describe("the router's own kit, unmodified", () => {
  it('knows the chains and their tokens', async () => {
    const chains = await getChains(client, { chainTypes: ['EVM', 'SVM'] as never }); // an enum
    expect(chains.map(({ id }) => Number(id)).sort()).toEqual(
      Object.values(ROUTER_CHAIN_IDS).sort(),
    );
    const { tokens } = await getTokens(client, { chains: [42_161] });
    expect(tokens[42_161]?.map(({ symbol }) => symbol)).toContain('USDC');
  });

  it('asks for chains by their kind, for those of EVM where it names none', async () => {
    const ids = async (types: readonly string[] | null) =>
      (await getChains(client, types === null ? {} : { chainTypes: types as never })).map(
        ({ id }) => Number(id),
      );
    expect(await ids(['SVM'])).toEqual([SOLANA]);
    expect(await ids(['EVM'])).not.toContain(SOLANA);
    expect(await ids(null)).not.toContain(SOLANA);
  });

  it('hears which tokens go where, and what coin to have for gas', async () => {
    const { connections } = await getConnections(client, {
      fromChain: 42_161,
      fromToken: USDC,
      toChain: 56,
    });
    expect(connections).toHaveLength(1);
    expect(connections[0]?.fromTokens.map(({ address }) => address)).toEqual([USDC]);
    expect(connections[0]?.toTokens.map(({ address }) => address)).toContain(COIN);
    const gas = await getGasRecommendation(client, { chainId: 42_161 });
    expect(gas).toMatchObject({ available: true, recommended: { token: { address: COIN } } });
  });

  it('executes a route it chose from the advanced list to its end', async () => {
    const { routes } = await getRoutes(client, {
      fromChainId: 42_161,
      toChainId: 42_161,
      fromTokenAddress: USDC,
      toTokenAddress: COIN,
      fromAmount: '5000000',
      fromAddress: WALLETS.evm,
    });
    const [route] = routes;
    expect(route?.steps[0]?.transactionRequest).toBeUndefined();
    const executed = await executeRoute(client, route ?? expect.unreachable(), {});
    expect(executed.steps[0]?.execution?.status).toBe('DONE');
  });

  it.each([...SWAPS, ...sampled('bridges of the kit', BRIDGES, 1)])(
    'executes %s to its end',
    async (_name, fromChain, fromToken, toChain, toToken, fromAmount) => {
      const quote = await getQuote(client, {
        fromChain,
        toChain,
        fromToken,
        toToken,
        fromAmount,
        fromAddress: fromChain === SOLANA ? WALLETS.solana : WALLETS.evm,
        toAddress: toChain === SOLANA ? WALLETS.solana : WALLETS.evm,
      });
      const route = await executeRoute(client, convertQuoteToRoute(quote), {});
      const execution = route.steps[0]?.execution;
      expect(execution?.status).toBe('DONE');
      expect(BigInt(execution?.toAmount ?? 0)).toBeGreaterThanOrEqual(
        BigInt(quote.estimate.toAmountMin),
      );
    },
  );
});
