import { createWalletClient, encodeFunctionData, http, maxUint256, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base as baseChain } from 'viem/chains';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEvmAccounts } from '../../../src/adapters/evm/evm-account.ts';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createEvmRail } from '../../../src/adapters/evm/evm-rail.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { NETWORK } from '../../../src/adapters/wire/transport.ts';
import { chainClients } from '../../../src/app/chains.ts';
import { chainAccountOf } from '../../../src/domain/cash.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { EvmClients } from '../../../src/ports/chain-clients.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import type { Venue } from '../../../src/ports/venue.ts';
import { produceBlocks } from '../../../src/sandbox/chains/evm/block-production.ts';
import { TOKEN_ABI } from '../../../src/sandbox/chains/evm/contract-abis.ts';
import { startEvmNode, type EvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import type { DeployedChain } from '../../../src/sandbox/chains/evm/deploy-chain.ts';
import type { WorldChains } from '../../../src/sandbox/chains/world-chains.ts';
import { openRecordStore } from '../../../src/sandbox/storage/record-store.ts';
import { contractsOf, VENUE_C_CHAIN } from '../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { openChainBank } from '../../../src/sandbox/venues/venue-c/chain/chain-bank.ts';
import type { VenueMarket } from '../../../src/sandbox/venues/venue-c/model/market.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { GROUP_ADAPTER_ABI } from '../../../src/sandbox/venues/venue-c/chain/exchange-abi.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createVenueClosings } from '../../../src/services/funding/venue-closing.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { callsBody } from '../../../src/services/wallets/contract-calls.ts';
import type { Accounts } from '../../../src/venues/venue-c/accounts.ts';
import { createAllowances } from '../../../src/venues/venue-c/allowances.ts';
import { venueC } from '../../../src/venues/venue-c/venue.ts';
import type { VenueParts } from '../../../src/venues/contract.ts';
import { HttpClient, OrderClient, OrderType, Side, Wallet } from '../../peers/pool-sdk.ts';
import { startPoolWorld, type PoolWorld } from '../../sandbox/venues/venue-c/a-venue.ts';
import { aMarket, aUserId } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { deploy } from '../../support/fixtures/deploy-chains.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);
const KEY = generatePrivateKey();
const DOLLAR = 1_000_000;
const clock = createWallClock();
const { usdc, conditionalTokens, exchange, groupExchange, groupAdapter } = VENUE_C_CHAIN;
/** Those that the operator trusts. */
const TRUSTED = { exchanges: [exchange, groupExchange], adapters: [groupAdapter] };
/** Carries what the venue itself has wallets do. */
const carried = lateTransactions();

let node: EvmNode;
let deployed: DeployedChain;
let blocks: { stop(): Promise<void> };
let world: PoolWorld;
let base: EvmClients;
let vault: KeyVault;
let venue: Venue;

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453, stateFile: null });
  deployed = await deploy('base', node);
  blocks = produceBlocks(node, clock, 10);
  const chains: Partial<WorldChains> = { base: deployed };
  world = await startPoolWorld({
    makers: false,
    parts: { chains: Promise.resolve(chains as WorldChains) }, // the venue is on no other
  });
  const about = { chainId: 8453, rpcUrl: node.url, metrics: createKeptMetrics() };
  base = { evm: createEvmChain(about), accounts: createEvmAccounts(about) };
  const keccak = await loadKeccak();
  vault = await vaultWith(keccak, USER, KEY);
  venue = await venueC.open(
    {
      store: createMemoryStore(),
      vault,
      keccak,
      random: createSeededRandom('orders'),
      transport: NETWORK,
      chain: chainClients({ evm: { BASE: base.evm }, evmAccounts: { BASE: base.accounts } }),
      transactions: carried,
      clock,
      wallClock: clock,
      metrics: createKeptMetrics(),
    } as unknown as VenueParts, // what it reads of them before it trades
    {
      endpoints: world.open.urls,
      usdc,
      conditionalTokens,
      ...TRUSTED,
      poolMasters: [],
      region: null,
      restrictedRegions: [],
    },
  );
});
afterAll(async () => {
  await venue?.close();
  await world.close();
  await blocks.stop();
  await node.close();
});

function queues() {
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const transactions = createTransactions({
    store,
    commit,
    rails: [
      createEvmRail({
        ...base,
        chain: 'BASE',
        vault,
        loadKeys: async () => undefined,
        assertMaySign: () => undefined,
        metrics: createKeptMetrics(),
      }),
    ],
    books: createTransactionBooking({ venue: createVenueClosings({ clock, marketClock: clock }) }),
    clock,
    random: createSeededRandom('on chain'),
    log: createKeptLog(),
    metrics: createKeptMetrics(),
  });
  return transactions;
}

/** The market as the venue's listing has it. */
function marketOf(wire: VenueMarket): Market {
  const { conditionId, tokens, slug } = wire;
  const [yes, no] = tokens.map((token) => asId<TokenId>(token)) as [TokenId, TokenId];
  return aMarket(1, {
    marketId: asId(slug),
    outcomes: [
      { tokenId: yes, label: 'Yes' },
      { tokenId: no, label: 'No' },
    ],
    own: { tradeType: 'clob', conditionId, ...contractsOf(wire), negRiskRequestId: null },
  });
}

const clientOf = (
  { tokenId, secret }: { readonly tokenId: string; readonly secret: string },
  key: string,
) =>
  new OrderClient({
    httpClient: new HttpClient({
      baseURL: world.open.urls.poolRest,
      hmacCredentials: { tokenId, secret },
    }),
    wallet: new Wallet(key),
  });

/** Another user's wallet lets the exchange have its dollars. */
async function allowDollars(key: Hex, spender: Hex): Promise<void> {
  const client = createWalletClient({
    account: privateKeyToAccount(key),
    chain: baseChain,
    transport: http(node.url),
  });
  const hash = await client.writeContract({
    address: usdc,
    abi: TOKEN_ABI,
    functionName: 'approve',
    args: [spender, maxUint256],
  });
  await eventually(async () => expect(await base.evm.receipt(hash)).not.toBeNull());
}

/** Ends a market on the chain as the venue does at its end. */
async function end(market: VenueMarket, payouts: [number, number]): Promise<void> {
  const bank = openChainBank({
    chain: Promise.resolve(deployed),
    clock,
    marketOf: () => market,
    signedOf: () => null,
    transactions: openRecordStore(null, 1),
  });
  bank.pay(market, payouts);
  await eventually(async () =>
    expect(await venue.redeemer?.isDecided(marketOf(market))).toBe(true),
  );
  await bank.stop();
}

it('L4: a wallet is endowed once, allows the exchange, trades, and redeems; its history says each by its transaction', async () => {
  const { redeemer, faucet, accounts } = venue;
  const { wallet } = accounts;
  if (wallet === undefined || redeemer === undefined || faucet === null)
    return expect.unreachable('the venue is paid out of wallets');
  const wire = world.open.exchange.markets().find(({ window }) => window === null);
  if (wire === undefined) return expect.unreachable('a question is listed');
  const market = marketOf(wire);
  const tokenIds = market.outcomes.map(({ tokenId }) => tokenId);
  const [yes] = tokenIds as [TokenId, TokenId];
  const address = vault.addressOf(USER);
  const holds = (usdcHeld: number, tokens: readonly (readonly [TokenId, number])[]) =>
    eventually(async () =>
      expect(await wallet.holdings(USER, tokenIds)).toEqual({
        usdc: usdcHeld,
        tokens: new Map(tokens),
      }),
    );
  const moved = (tokenId: TokenId | null) =>
    eventually(async () => {
      const history = await wallet.history(USER, tokenId, null);
      if (history.kind !== 'read') return expect.unreachable(history.kind);
      return history.movements.map(({ micros, isTrade }) => [micros, isTrade]);
    });

  expect(await accounts.missing?.(USER)).toEqual([
    expect.stringMatching(/not enough ETH on Base for gas: .* holds 0 ETH$/),
  ]);
  await faucet.grant(USER, usdcMicros(20 * DOLLAR));
  await faucet.grant(USER, usdcMicros(20 * DOLLAR));
  await holds(20 * DOLLAR, []);
  expect(await accounts.missing?.(USER)).toEqual([]);
  expect(await moved(null)).toEqual([[20 * DOLLAR, false]]);

  const transactions = queues();
  const allowances = createAllowances({
    transactions,
    accounts: { missing: async () => [] },
    walletOf: async () => address,
    chain: base,
    usdc,
    conditionalTokens,
    ...TRUSTED,
  });
  const account = await (accounts as Accounts).accountOf(USER); // the venue's own
  const buy = () =>
    clientOf(account, KEY).createOrder({
      tokenId: yes,
      makerAmount: 4,
      side: Side.BUY,
      orderType: OrderType.FOK,
      marketSlug: wire.slug,
    });
  await expect(buy()).rejects.toThrow('allowance');
  await allowances.ensure(USER, { side: 'buy', exchange, adapter: null });
  await allowances.ensure(USER, { side: 'sell', exchange, adapter: null });

  const ana = await world.user('20');
  await allowDollars(ana.key, exchange);
  await clientOf(ana, ana.key).createOrder({
    tokenId: market.outcomes[1].tokenId,
    price: 0.6,
    size: 10,
    side: Side.BUY,
    orderType: OrderType.GTC,
    marketSlug: wire.slug,
  });
  await buy();
  // a fee of 216 basis points is in shares
  await holds(16 * DOLLAR, [[yes, 9_784_000]]);
  expect(await moved(yes)).toEqual([[9_784_000, true]]);
  expect(await moved(null)).toEqual([
    [20 * DOLLAR, false],
    [-4 * DOLLAR, true],
  ]);

  expect(await redeemer.isDecided(market)).toBe(false);
  await end(wire, [1_000_000, 0]);
  const [redemption] = await transactions.enqueue([
    {
      userId: USER,
      account: chainAccountOf('usdc:base', await redeemer.walletOf(USER)),
      purpose: {
        owner: 'venue',
        kind: 'venue_call',
        data: { venue: venue.id, side: 'sell', data: null },
      },
      body: callsBody([await redeemer.call(USER, market)]),
    },
  ]);
  if (redemption === undefined) return expect.unreachable('it is queued');
  expect((await transactions.settled(redemption, 60_000)).state).toBe('done');
  transactions.stop();
  await holds(25_784_000, []);
  expect(await moved(yes)).toEqual([
    [9_784_000, true],
    [-9_784_000, false],
  ]);
});

it('L4: shares of a market of a group are bought at its own exchange, and redeemed at its adapter, which the wallet allows first', async () => {
  const { redeemer, accounts } = venue;
  const { wallet } = accounts;
  if (wallet === undefined || redeemer === undefined)
    return expect.unreachable('the venue is paid out of wallets');
  const [wire, other] = world.open.exchange.markets().filter(({ group }) => group !== null);
  if (wire === undefined || other === undefined) return expect.unreachable('a group is listed');
  const market = marketOf(wire);
  const [{ tokenId: yes }, { tokenId: no }] = market.outcomes;
  const { usdc: before } = await wallet.holdings(USER, [yes, no]);
  const transactions = queues();
  carried.join(transactions);
  const allowances = createAllowances({
    transactions,
    accounts: { missing: async () => [] },
    walletOf: async () => vault.addressOf(USER),
    chain: base,
    usdc,
    conditionalTokens,
    ...TRUSTED,
  });
  await allowances.ensure(USER, { side: 'buy', ...contractsOf(wire) });
  const ana = await world.user('20');
  await allowDollars(ana.key, groupExchange);
  await clientOf(ana, ana.key).createOrder({
    tokenId: no,
    price: 0.6,
    size: 10,
    side: Side.BUY,
    orderType: OrderType.GTC,
    marketSlug: wire.slug,
  });
  const account = await (accounts as Accounts).accountOf(USER); // the venue's own
  await clientOf(account, KEY).createOrder({
    tokenId: yes,
    makerAmount: 4,
    side: Side.BUY,
    orderType: OrderType.FOK,
    marketSlug: wire.slug,
  });
  const holds = (usdcHeld: number, shares: number) =>
    eventually(async () => {
      const { usdc: has, tokens } = await wallet.holdings(USER, [yes, no]);
      expect([has, tokens.get(yes) ?? 0]).toEqual([usdcHeld, shares]);
    });
  await holds(before - 4 * DOLLAR, 9_784_000);

  await end(wire, [1_000_000, 0]);
  const report = {
    to: groupAdapter,
    data: encodeFunctionData({
      abi: GROUP_ADAPTER_ABI,
      functionName: 'reportOutcome',
      args: [wire.group?.groupId as Hex, other.questionId as Hex, [1n, 0n]], // hashes
    }),
  };
  await expect(deployed.sender('oracle').send(report)).rejects.toMatchObject({
    code: 'chain_reverted',
  });
  const call = await redeemer.call(USER, market);
  expect(call.to).toBe(groupAdapter);
  const [redemption] = await transactions.enqueue([
    {
      userId: USER,
      account: chainAccountOf('usdc:base', vault.addressOf(USER)),
      purpose: {
        owner: 'venue',
        kind: 'venue_call',
        data: { venue: venue.id, side: 'sell', data: null },
      },
      body: callsBody([call]),
    },
  ]);
  if (redemption === undefined) return expect.unreachable('it is queued');
  expect((await transactions.settled(redemption, 60_000)).state).toBe('done');
  transactions.stop();
  await holds(before - 4 * DOLLAR + 9_784_000, 0);
});
