import {
  createWalletClient,
  hashTypedData,
  http,
  maxUint256,
  zeroHash,
  type Hex,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../../src/adapters/clock/wall-clock.ts';
import { produceBlocks } from '../../../../src/sandbox/chains/evm/block-production.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  TOKEN_ABI,
} from '../../../../src/sandbox/chains/evm/contract-abis.ts';
import type { DeployedChain } from '../../../../src/sandbox/chains/evm/deploy-chain.ts';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import type { WorldChains } from '../../../../src/sandbox/chains/world-chains.ts';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { openChainBank } from '../../../../src/sandbox/venues/venue-c/chain/chain-bank.ts';
import { BOOK_EXCHANGE_ABI } from '../../../../src/sandbox/venues/venue-c/chain/exchange-abi.ts';
import { openRecordStore } from '../../../../src/sandbox/storage/record-store.ts';
import type { VenueMarket } from '../../../../src/sandbox/venues/venue-c/model/market.ts';
import { typedOrder } from '../../../../src/sandbox/venues/venue-c/order-type.ts';
import {
  HttpClient,
  OrderClient,
  OrderType,
  PortfolioFetcher,
  Side,
  Wallet,
} from '../../../peers/pool-sdk.ts';
import { eventually } from '../../../support/eventually.ts';
import { deploy } from '../../../support/fixtures/deploy-chains.ts';
import { startPoolWorld, type PoolUser, type PoolWorld } from './a-venue.ts';

const { usdc, conditionalTokens, exchange } = VENUE_C_CHAIN;
describe('the venue of books and pools on chain 8453, under its published client', () => {
  let node: EvmNode;
  let chain: DeployedChain;
  let blocks: { stop(): Promise<void> };
  let world: PoolWorld;
  let market: VenueMarket;
  beforeAll(async () => {
    node = await startEvmNode({ chainId: 8453, stateFile: null });
    chain = await deploy('base', node);
    blocks = produceBlocks(node, createWallClock(), 10);
    const chains: Partial<WorldChains> = { base: chain };
    world = await startPoolWorld({
      makers: false,
      parts: { chains: Promise.resolve(chains as WorldChains) }, // the venue is on no other
    });
    market = question(world);
  });
  afterAll(async () => {
    await world.close();
    await blocks.stop();
    await node.close();
  });

  const wallet = ({ key }: PoolUser) =>
    createWalletClient({
      account: privateKeyToAccount(key),
      chain: base,
      transport: http(node.url),
    });
  const mined = async (hash: Hex) =>
    (node.client as unknown as PublicClient).waitForTransactionReceipt({ hash });
  const approve = async (user: PoolUser) =>
    mined(
      await wallet(user).writeContract({
        address: usdc,
        abi: TOKEN_ABI,
        functionName: 'approve',
        args: [exchange, maxUint256],
      }),
    );
  const approveShares = async (user: PoolUser) =>
    mined(
      await wallet(user).writeContract({
        address: conditionalTokens,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [exchange, true],
      }),
    );
  const dollars = (owner: Hex) =>
    node.client.readContract({
      address: usdc,
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args: [owner],
    });
  const shares = (owner: Hex, outcome: 0 | 1) =>
    node.client.readContract({
      address: conditionalTokens,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'balanceOf',
      args: [owner, BigInt(market.tokens[outcome])],
    });
  const clientOf = ({ tokenId, secret, key }: PoolUser) => {
    const httpClient = new HttpClient({
      baseURL: world.open.urls.poolRest,
      hmacCredentials: { tokenId, secret },
    });
    return {
      orders: new OrderClient({ httpClient, wallet: new Wallet(key) }),
      portfolio: new PortfolioFetcher(httpClient),
    };
  };
  const limit = (user: PoolUser, outcome: 0 | 1, side: Side, price: number, size = 10) =>
    clientOf(user).orders.createOrder({
      tokenId: market.tokens[outcome],
      price,
      size,
      side,
      orderType: OrderType.GTC,
      marketSlug: market.slug,
    });
  const spend = (user: PoolUser, side: Side, makerAmount: number) =>
    clientOf(user).orders.createOrder({
      tokenId: market.tokens[0],
      makerAmount,
      side,
      orderType: OrderType.FOK,
      marketSlug: market.slug,
    });
  const settled = (tradeId: string | null | undefined) =>
    eventually(() => {
      const trade = world.open.exchange.trade(tradeId ?? '');
      expect(trade?.status).toMatch(/CONFIRMED|FAILED/);
      return trade;
    });

  /** Ends the market on the chain as the venue does at its end. */
  const reportYes = async () => {
    const bank = openChainBank({
      chain: Promise.resolve(chain),
      clock: createWallClock(),
      marketOf: () => market,
      signedOf: () => null,
      transactions: openRecordStore(null, 1),
    });
    bank.pay(market, [1_000_000, 0]);
    await eventually(async () =>
      expect(
        await node.client.readContract({
          address: conditionalTokens,
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'payoutDenominator',
          args: [market.conditionId as Hex], // a hash
        }),
      ).toBe(1_000_000n),
    );
    await bank.stop();
  };

  it('wants the money of the wallet itself, and its allowance', async () => {
    const user = await world.user('20');
    await expect(limit(user, 0, Side.BUY, 0.1)).rejects.toThrow(
      'Insufficient collateral allowance',
    );
    await approve(user);
    const { order } = await limit(user, 0, Side.BUY, 0.1);
    await clientOf(user).orders.cancel(order.id);
    await expect(limit(user, 0, Side.BUY, 0.5, 100)).rejects.toThrow(
      'Insufficient collateral balance',
    );
    await expect(limit(user, 0, Side.SELL, 0.5)).rejects.toThrow(
      'Insufficient allowance: conditional tokens',
    );
  });

  it('hashes an order as its owner signs it', async () => {
    const user = await world.user('20');
    await approve(user);
    const { order } = await limit(user, 0, Side.BUY, 0.05);
    const signed = world.open.exchange.order(order.id)?.signed;
    if (signed === undefined || signed === null) throw new Error('it is not kept');
    const typed = typedOrder(signed, exchange);
    expect(
      await node.client.readContract({
        address: exchange,
        abi: BOOK_EXCHANGE_ABI,
        functionName: 'hashOrder',
        args: [typed.message],
      }),
    ).toBe(hashTypedData(typed));
    await clientOf(user).orders.cancel(order.id);
  });

  it('counts what a block has taken of an account once, also right after that block', async () => {
    const [ana, ben] = [await world.user('20'), await world.user('20')];
    for (const user of [ana, ben]) await approve(user);
    const { exchange: venue } = world.open;
    const { order } = await limit(ben, 0, Side.BUY, 0.04, 400);
    await clientOf(ben).orders.cancel(order.id);
    const all = venue.order(order.id) ?? expect.unreachable();
    await limit(ana, 1, Side.BUY, 0.6);
    const { execution } = await spend(ben, Side.BUY, 4);
    while ((await dollars(ben.account)) !== 16_000_000n);
    const placed = await venue.place(market, { ...all, clientOrderId: null });
    expect(placed).toMatchObject({ kind: 'taken' });
    if (placed.kind === 'taken') venue.cancel(placed.order);
    await settled(execution?.tradeEventId);
  });

  it('mints, swaps and merges on the chain, and pays winners, with nothing left in the exchange', async () => {
    const [ana, ben] = [await world.user('20'), await world.user('20')];
    for (const user of [ana, ben]) {
      await approve(user);
      await approveShares(user);
    }
    // mint: Ana buys 10 NO at 0.60, Ben YES for 4 dollars
    await limit(ana, 1, Side.BUY, 0.6);
    const minted = await spend(ben, Side.BUY, 4);
    const first = await settled(minted.execution?.tradeEventId);
    expect(first?.status).toBe('CONFIRMED');
    expect(first?.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect([await dollars(ana.account), await dollars(ben.account)]).toEqual([
      14_000_000n,
      16_000_000n,
    ]);
    // 216 basis points of ten shares are the fee, in shares
    expect([await shares(ana.account, 1), await shares(ben.account, 0)]).toEqual([
      10_000_000n,
      9_784_000n,
    ]);
    // swap: Ana bids 0.50 for 4 YES, Ben sells 4 of his
    await limit(ana, 0, Side.BUY, 0.5, 4);
    const swapped = await spend(ben, Side.SELL, 4);
    await settled(swapped.execution?.tradeEventId);
    // 225 basis points of two dollars are the fee
    expect([await dollars(ana.account), await dollars(ben.account)]).toEqual([
      12_000_000n,
      17_955_000n,
    ]);
    // merge: Ana offers 5 NO at 0.40, Ben sells 5 YES for the rest of each dollar
    await limit(ana, 1, Side.SELL, 0.4, 5);
    const merged = await spend(ben, Side.SELL, 5);
    await settled(merged.execution?.tradeEventId);
    expect([await dollars(ana.account), await dollars(ben.account)]).toEqual([
      14_000_000n,
      // 3 dollars less 216 basis points
      20_890_200n,
    ]);
    expect(await dollars(exchange)).toBe(0n);
    for (const outcome of [0, 1] as const) expect(await shares(exchange, outcome)).toBe(0n);
    const [entry] = await clientOf(ben).portfolio.getCLOBPositions();
    expect(entry?.tokensBalance).toEqual({ yes: '784000', no: '0' });
    await reportYes();
    await mined(
      await wallet(ben).writeContract({
        address: conditionalTokens,
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'redeemPositions',
        args: [usdc, zeroHash, market.conditionId as Hex, [1n, 2n]], // a hash
      }),
    );
    expect(await dollars(ben.account)).toBe(21_674_200n);
    market = question(world, 1);
  });

  it('fails a match on the chain by name, tries one again, and gives a failed one back', async () => {
    const [ana, ben] = [await world.user('20'), await world.user('20')];
    for (const user of [ana, ben]) await approve(user);
    await limit(ana, 1, Side.BUY, 0.6, 20);
    world.shared.faults.arm('ghost-fill', { times: 1 });
    const failed = await spend(ben, Side.BUY, 4);
    expect((await settled(failed.execution?.tradeEventId))?.status).toBe('FAILED');
    expect(await dollars(ben.account)).toBe(20_000_000n);
    world.shared.faults.arm('retrying-then-confirmed', { times: 1 });
    const retried = await spend(ben, Side.BUY, 4);
    expect((await settled(retried.execution?.tradeEventId))?.status).toBe('CONFIRMED');
    expect(await dollars(ben.account)).toBe(16_000_000n);
  });

  it('fails a match whose maker has moved its money away, after some attempts', async () => {
    const [ana, ben] = [await world.user('20'), await world.user('20')];
    for (const user of [ana, ben]) await approve(user);
    await limit(ana, 1, Side.BUY, 0.7, 20);
    await mined(
      await wallet(ana).writeContract({
        address: usdc,
        abi: TOKEN_ABI,
        functionName: 'transfer',
        args: [ben.account, 20_000_000n],
      }),
    );
    const failed = await spend(ben, Side.BUY, 3);
    expect((await settled(failed.execution?.tradeEventId))?.status).toBe('FAILED');
    expect(await dollars(ben.account)).toBe(40_000_000n);
  });
});

function question({ open }: PoolWorld, index = 0): VenueMarket {
  const found = open.exchange.markets().filter(({ window }) => window === null)[index];
  if (found === undefined) throw new Error('no question is listed');
  return found;
}
