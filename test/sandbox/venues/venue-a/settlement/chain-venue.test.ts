import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssetType, ClobClient } from '../../../../peers/clob-client-v2.ts';
import { peerSigner } from '../../../../peers/signer.ts';
import { encodeFunctionData, maxUint256, parseEventLogs, zeroHash, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../../../src/adapters/clock/wall-clock.ts';
import { asId, type Address, type OrderId } from '../../../../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../../../../src/domain/units.ts';
import { VENUE_A_CHAIN } from '../../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  TOKEN_ABI,
} from '../../../../../src/sandbox/chains/evm/contract-abis.ts';
import {
  createEvmClient,
  type EvmClient,
} from '../../../../../src/sandbox/chains/evm/evm-client.ts';
import { createEvmSender } from '../../../../../src/sandbox/chains/evm/evm-sender.ts';
import {
  signChainOrder,
  EXCHANGE_ABI,
  type ChainOrder,
} from '../../../../../src/sandbox/venues/venue-a/chain/exchange-orders.ts';
import type {
  EngineAnswer,
  EngineTrade,
  ExchangeMarket,
} from '../../../../../src/sandbox/engine/exchange-types.ts';
import { startWorld, type World } from '../../../../../src/sandbox/world.ts';
import { parseState } from '../../../../../src/sandbox/chains/evm/node-state.ts';
import { orderIdOf } from '../../../../../src/sandbox/venues/venue-a/clob/order-signature.ts';
import { eventually } from '../../../../support/eventually.ts';
import { WORLD_CREDENTIALS } from '../../../../support/worlds/small-world.ts';

const USER_KEY: Hex = `0x${'7a'.repeat(32)}`;
const USER = privateKeyToAccount(USER_KEY);
const ACCOUNT = asId<Address>(USER.address);
const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');
const { collateral, conditionalTokens, exchange: EXCHANGE, collateralAdapter } = VENUE_A_CHAIN;

let folder: string;
let world: World;
let client: EvmClient;
let orders = 0;

async function start(): Promise<void> {
  world = await startWorld({
    seed: 7,
    clock: createWallClock(),
    wallClock: createWallClock(),
    dataDir: folder,
    makers: false,
    settlement: 'chain',
    credentials: WORLD_CREDENTIALS,
  });
  client = createEvmClient(world.urls.chains?.polygonRpc ?? '', 137);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-chain-venue-'));
  await start();
  await client.setBalance({ address: USER.address, value: 10n ** 24n });
  for (const to of [EXCHANGE, collateralAdapter]) {
    await send(
      collateral,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [to, maxUint256] }),
    );
    await send(
      conditionalTokens,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [to, true],
      }),
    );
  }
});
afterEach(() => {
  for (const fault of world.faults.armed()) world.faults.clear(fault);
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

const send = (to: Hex, data: Hex) => createEvmSender(client, USER).send({ to, data });
const grant = (usdc: string) =>
  fetch(`${world.urls.venues.venue_a.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address: USER.address, usdc }),
  }).then(({ status }) => status);

function market(index = 0): ExchangeMarket {
  const found = world.venues.venue_a.exchange
    .markets()
    .filter(({ takerDelayMs }) => takerDelayMs === 0)[index];
  if (found === undefined) throw new Error('the world lists standing markets');
  return found;
}

/** What the user has, as the chain and as the venue say it: [collateral, first, second]. */
async function holdings({ tokens }: ExchangeMarket): Promise<{
  readonly chain: readonly bigint[];
  readonly venue: readonly number[];
}> {
  const shares = (id: string) =>
    client.readContract({
      address: conditionalTokens,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'balanceOf',
      args: [USER.address, BigInt(id)],
    });
  const own = client.readContract({
    address: collateral,
    abi: TOKEN_ABI,
    functionName: 'balanceOf',
    args: [USER.address],
  });
  return {
    chain: await Promise.all([own, shares(tokens[0]), shares(tokens[1])]),
    venue: [
      world.venues.venue_a.exchange.balanceOf(ACCOUNT),
      ...tokens.map((token) => world.venues.venue_a.exchange.sharesOf(ACCOUNT, token)),
    ],
  };
}

/** The chain and the venue agree; gives what both say. */
async function agreed(of: ExchangeMarket): Promise<readonly number[]> {
  return eventually(async () => {
    const { chain, venue } = await holdings(of);
    expect(chain.map(Number)).toEqual(venue);
    return venue;
  });
}

/** Has the market maker offer shares of the first outcome at a price. */
function offer(of: ExchangeMarket, shares: number, price: number): void {
  world.venues.venue_a.exchange.deposit(MAKER, usdcMicros(shares));
  world.venues.venue_a.exchange.split(MAKER, of.marketId, shares);
  orders += 1;
  world.venues.venue_a.exchange.place({
    orderId: asId<OrderId>(`0x${String(orders).padStart(64, '0')}`),
    maker: MAKER,
    owner: 'maker:test',
    tokenId: of.tokens[0],
    side: 'sell',
    timeInForce: 'GTC',
    price: priceTicks(price),
    makerMicros: shares,
    takerMicros: (shares * price) / 10_000,
    expiresAtMs: null,
    postOnly: false,
  });
}

/** Has the user take shares of the first outcome, with an order the chain can check. */
async function take(
  of: ExchangeMarket,
  side: 'buy' | 'sell',
  shares: number,
  price: number,
): Promise<EngineAnswer> {
  orders += 1;
  const money = (shares * price) / 10_000;
  const [makerMicros, takerMicros] = side === 'buy' ? [money, shares] : [shares, money];
  const order: ChainOrder = {
    salt: BigInt(orders),
    maker: USER.address,
    signer: USER.address,
    tokenId: BigInt(of.tokens[0]),
    makerAmount: BigInt(makerMicros),
    takerAmount: BigInt(takerMicros),
    side: side === 'buy' ? 0 : 1,
    signatureType: 0,
    timestamp: 1_780_000_000_000n,
    metadata: zeroHash,
    builder: zeroHash,
  };
  return world.venues.venue_a.exchange.place({
    orderId: orderIdOf(order, of.negRisk),
    maker: ACCOUNT,
    owner: 'a-user',
    tokenId: of.tokens[0],
    side,
    timeInForce: 'FAK',
    price: priceTicks(price),
    makerMicros,
    takerMicros,
    expiresAtMs: null,
    postOnly: false,
    signed: {
      salt: String(order.salt),
      signer: USER.address,
      signatureType: 0,
      timestamp: String(order.timestamp),
      metadata: zeroHash,
      builder: zeroHash,
      signature: await signChainOrder(
        USER,
        order,
        of.negRisk ? VENUE_A_CHAIN.negRiskExchange : EXCHANGE,
      ),
    },
  });
}

/** Statuses of the user's newest trade from here until it is final. */
function ending(): { readonly statuses: readonly string[]; final(): Promise<EngineTrade> } {
  const statuses: string[] = [];
  const stop = world.venues.venue_a.exchange.subscribe((event) => {
    if (event.kind === 'trade') statuses.push(event.trade.status);
  });
  return {
    statuses,
    async final() {
      const trade = await eventually(() => {
        const [newest] = world.venues.venue_a.exchange.tradesOf(new Set([ACCOUNT]));
        expect(newest?.status).toMatch(/CONFIRMED|FAILED/);
        if (newest === undefined) throw new Error('no trade');
        return newest;
      });
      stop();
      return trade;
    },
  };
}

/** What the venue tells the user of allowances of collateral, over its interface. */
async function reported(): Promise<Readonly<Record<string, string>>> {
  const answer = await (await venueClient()).getBalanceAllowance({
    asset_type: AssetType.COLLATERAL,
  });
  return (answer as unknown as { readonly allowances: Readonly<Record<string, string>> })
    .allowances; // the client's types name one allowance, as venues before did
}

/**
 * Has the venue read the chain again, as its documentation asks of whoever has approved something.
 */
async function refreshed(): Promise<void> {
  await (await venueClient()).updateBalanceAllowance({ asset_type: AssetType.COLLATERAL });
}

async function venueClient(): Promise<ClobClient> {
  const options = {
    host: world.urls.venues.venue_a.clobRest,
    chain: 137,
    signer: peerSigner(USER_KEY),
    throwOnError: true,
  } as const;
  return new ClobClient({
    ...options,
    creds: await new ClobClient({ ...options, throwOnError: false }).createOrDeriveApiKey(),
  });
}

const matchesOnChain = async () =>
  (
    await client.getContractEvents({
      address: EXCHANGE,
      abi: EXCHANGE_ABI,
      eventName: 'OrdersMatched',
      fromBlock: 0n,
    })
  ).length;

describe('a venue on the chain', () => {
  it('gives what the faucet mints to the address, and sees it before it answers', async () => {
    expect(await grant('1000')).toBe(200);
    expect(await holdings(market())).toEqual({
      chain: [1_000_000_000n, 0n, 0n],
      venue: [1_000_000_000, 0, 0],
    });
    expect(world.venues.venue_a.exchange.activityOf(ACCOUNT)).toMatchObject([
      {
        kind: 'DEPOSIT',
        usdcMicros: 1_000_000_000,
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ]);
  });

  it('settles a trade by one transaction: MINED when a block has it, CONFIRMED when it is final', async () => {
    const { statuses, final } = ending();
    offer(market(), 20_000_000, 5_000);
    expect(await take(market(), 'buy', 20_000_000, 5_000)).toMatchObject({ kind: 'matched' });
    // What is matched counts at once, before any block has it.
    expect(world.venues.venue_a.exchange.sharesOf(ACCOUNT, market().tokens[0])).toBe(20_000_000);
    const trade = await final();
    expect(statuses).toEqual(['MATCHED', 'MINED', 'CONFIRMED']);
    expect(
      await client.getTransactionReceipt({ hash: trade.transactionHash as Hex }),
    ).toMatchObject({ status: 'success', to: EXCHANGE.toLowerCase() });
    expect(await agreed(market())).toEqual([1_000_000_000 - 10_000_000 - trade.fee, 20_000_000, 0]);
  });

  it("keeps on the chain how far a user's order is filled, of the market maker's no longer than it takes", async () => {
    const { final } = ending();
    offer(market(), 5_000_000, 5_000);
    await take(market(), 'buy', 5_000_000, 5_000);
    const { transactionHash } = await final();
    const { logs } = await client.getTransactionReceipt({ hash: transactionHash as Hex });
    const filled = parseEventLogs({ abi: EXCHANGE_ABI, eventName: 'OrderFilled', logs });
    const kept = async () => {
      const statuses = await Promise.all(
        filled.map(({ args: { orderHash, maker } }) =>
          client
            .readContract({
              address: EXCHANGE,
              abi: EXCHANGE_ABI,
              functionName: 'statusOf',
              args: [orderHash],
            })
            .then(([, used]) => ({ isUsers: maker === USER.address, isKept: used > 0n })),
        ),
      );
      return statuses;
    };
    expect(filled).toHaveLength(2);
    await eventually(async () =>
      expect(await kept()).toEqual(
        filled.map(({ args: { maker } }) => {
          const isUsers = maker === USER.address;
          return { isUsers, isKept: isUsers };
        }),
      ),
    );
  });

  it('takes a match back when its transaction reverts for good', async () => {
    const before = await agreed(market());
    const { statuses, final } = ending();
    world.faults.arm('ghost-fill', { times: 1 });
    offer(market(), 10_000_000, 5_000);
    expect(await take(market(), 'buy', 10_000_000, 5_000)).toMatchObject({ kind: 'matched' });
    const { transactionHash } = await final();
    expect(statuses).toEqual(['MATCHED', 'FAILED']);
    expect(await client.getTransactionReceipt({ hash: transactionHash as Hex })).toMatchObject({
      status: 'reverted',
    });
    expect(await agreed(market())).toEqual(before);
  });

  it('tries again after a revert, and settles once', async () => {
    const [before, matches] = [await agreed(market()), await matchesOnChain()];
    const { statuses, final } = ending();
    world.faults.arm('retrying-then-confirmed', { times: 1 });
    offer(market(), 10_000_000, 5_000);
    await take(market(), 'buy', 10_000_000, 5_000);
    const { fee } = await final();
    expect(statuses).toEqual(['MATCHED', 'RETRYING', 'MINED', 'CONFIRMED']);
    expect(await agreed(market())).toEqual([
      (before[0] ?? 0) - 5_000_000 - fee,
      (before[1] ?? 0) + 10_000_000,
      0,
    ]);
    expect(await matchesOnChain()).toBe(matches + 1);
  });

  it('refuses a wallet that has not let the exchange take, and says of its allowances what the chain says', async () => {
    const allow = async (exchanges: bigint) => {
      await send(
        collateral,
        encodeFunctionData({
          abi: TOKEN_ABI,
          functionName: 'approve',
          args: [EXCHANGE, exchanges],
        }),
      );
      await refreshed();
    };
    const matches = await matchesOnChain();
    await allow(0n);
    offer(market(), 10_000_000, 5_000);
    expect(await take(market(), 'buy', 10_000_000, 5_000)).toMatchObject({
      kind: 'rejected',
      status: 400,
      reason: expect.stringContaining(
        `the allowance is not enough -> spender: ${EXCHANGE}, allowance: 0, sum of matched orders: 0`,
      ),
    });
    expect(await reported()).toMatchObject({ [EXCHANGE]: '0' });
    await allow(20_000_000n);
    expect(await take(market(), 'buy', 10_000_000, 5_000)).toMatchObject({ kind: 'matched' });
    await eventually(() =>
      expect(world.venues.venue_a.exchange.tradesOf(new Set([ACCOUNT]))[0]).toMatchObject({
        status: 'CONFIRMED',
      }),
    );
    // Settling has used some of it up, without an event of its own.
    const { fee } = await ending().final();
    expect(await reported()).toMatchObject({ [EXCHANGE]: String(20_000_000 - 5_000_000 - fee) });
    await allow(maxUint256);
    expect(await reported()).toMatchObject({ [EXCHANGE]: String(maxUint256) });
    await send(
      conditionalTokens,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [EXCHANGE, false],
      }),
    );
    await refreshed();
    expect(await take(market(), 'sell', 10_000_000, 5_000)).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('the allowance is not enough'),
    });
    await send(
      conditionalTokens,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'setApprovalForAll',
        args: [EXCHANGE, true],
      }),
    );
    await refreshed();
    expect(await matchesOnChain()).toBe(matches + 1);
  });

  it('sees what leaves by another way', async () => {
    const before = await agreed(market());
    await send(
      collateral,
      encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'transfer',
        args: [collateral, 100_000_000n],
      }),
    );
    await eventually(() =>
      expect(world.venues.venue_a.exchange.balanceOf(ACCOUNT)).toBe((before[0] ?? 0) - 100_000_000),
    );
    expect(world.venues.venue_a.exchange.activityOf(ACCOUNT).at(-1)).toMatchObject({
      kind: 'WITHDRAWAL',
      usdcMicros: 100_000_000,
    });
  });

  it('L9: settles a match it had only remembered when it ended, once', async () => {
    const [before, matches] = [await agreed(market()), await matchesOnChain()];
    offer(market(), 10_000_000, 5_000);
    await take(market(), 'buy', 10_000_000, 5_000);
    await world.close();
    await start();
    await eventually(() =>
      expect(world.venues.venue_a.exchange.tradesOf(new Set([ACCOUNT]))[0]).toMatchObject({
        status: 'CONFIRMED',
      }),
    );
    expect((await agreed(market()))[1]).toBe((before[1] ?? 0) + 10_000_000);
    expect(await matchesOnChain()).toBe(matches + 1);
  });

  it('goes back and forth with a chain that reorganises', async () => {
    const [before, matches] = [await agreed(market()), await matchesOnChain()];
    offer(market(), 10_000_000, 5_000);
    await take(market(), 'buy', 10_000_000, 5_000);
    await eventually(() =>
      expect(world.venues.venue_a.exchange.tradesOf(new Set([ACCOUNT]))[0]).toMatchObject({
        status: 'MINED',
      }),
    );
    await client.request({ method: 'anvil_reorg' as never, params: [1, []] as never });
    await eventually(() =>
      expect(world.venues.venue_a.exchange.tradesOf(new Set([ACCOUNT]))[0]).toMatchObject({
        status: 'CONFIRMED',
      }),
    );
    expect((await agreed(market()))[1]).toBe((before[1] ?? 0) + 10_000_000);
    expect(await matchesOnChain()).toBe(matches + 1);
  });

  it('knows at a start what everybody has and allows, though the blocks that recorded it are gone', async () => {
    const known = async () => ({
      agreed: await agreed(market()),
      allowances: (['usdc', market().tokens[0]] as const).map((holding) =>
        world.venues.venue_a.exchange.allowances(ACCOUNT, holding),
      ),
    });
    const before = await known();
    await world.close();
    const file = join(folder, 'polygon.json.parting');
    const state = parseState(file, readFileSync(file, 'utf8'));
    const newest = state.blocks.filter(
      ({ header }) => Number(header.number) === state['best_block_number'],
    );
    writeFileSync(file, JSON.stringify({ ...state, blocks: newest, transactions: [] }));
    await start();
    await expect(client.getBlock({ blockNumber: 1n })).rejects.toThrow('could not be found');
    expect(await known()).toEqual(before);
  });

  it('reports how a market ended, and leaves it to the holders to redeem', async () => {
    const ended = market();
    const before = await agreed(ended);
    world.venues.venue_a.exchange.resolve(ended.marketId, [10_000, 0]);
    await eventually(async () =>
      expect(
        await client.readContract({
          address: conditionalTokens,
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'payoutDenominator',
          args: [ended.marketId as string as Hex],
        }),
      ).toBe(10_000n),
    );
    expect(await agreed(ended)).toEqual(before);
    await send(
      collateralAdapter,
      encodeFunctionData({
        abi: CONDITIONAL_TOKENS_ABI,
        functionName: 'redeemPositions',
        args: [collateral, zeroHash, ended.marketId as string as Hex, [1n, 2n]],
      }),
    );
    await eventually(async () =>
      expect(await agreed(ended)).toEqual([(before[0] ?? 0) + (before[1] ?? 0), 0, 0]),
    );
    expect(
      world.venues.venue_a.exchange
        .activityOf(ACCOUNT)
        .find(({ kind, sharesMicros }) => kind === 'REDEEM' && sharesMicros > 0),
    ).toMatchObject({ usdcMicros: before[1] });
  });
});
