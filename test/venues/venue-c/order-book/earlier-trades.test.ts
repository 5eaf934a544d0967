import { encodeAbiParameters, parseAbiParameters, toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { EVM_RAIL, EVM_WALLET } from '../../../../config/limits/chain.ts';
import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { loadKeccak } from '../../../../src/adapters/wire/keccak.ts';
import { hexOf } from '../../../../src/adapters/wire/hex.ts';
import type { VenueFill } from '../../../../src/domain/fill.ts';
import { asId, type Address } from '../../../../src/domain/ids.ts';
import type { OrderHandle } from '../../../../src/domain/order.ts';
import { priceTicks, shareMicros } from '../../../../src/domain/units.ts';
import type { EvmLog, Hex, LogQuery } from '../../../../src/ports/evm.ts';
import { createEarlierTrades } from '../../../../src/venues/venue-c/order-book/earlier-trades.ts';
import { createSettlementReader } from '../../../../src/venues/venue-c/order-book/settlements.ts';
import { createOrderDigest } from '../../../../src/venues/venue-c/order-book/digest.ts';
import { T0 } from '../../../support/builders.ts';
import { EXCHANGE, ORDER_ID, PREPARED, SLUG, YES, anOrder } from '../intents.ts';

const WALLET = asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const TOKENS = asId<Address>('0xC9c98965297Bc527861c898329Ee280632B76e18');
const ZERO: Hex = `0x${'0'.repeat(64)}`;
const FOUND_MS = VENUE_C_ORDER.earlierTradeAfterMs;
const UNDONE_MS = VENUE_C_ORDER.earlierTradeUndoneAfterMs;

/** Shares that an order was met by, in seconds after T0; the newest is final. */
const fill = (
  tradeId: string,
  shares: number,
  second: number,
  change: Partial<VenueFill> = {},
): VenueFill => ({
  tradeId: asId(tradeId),
  orderId: asId(ORDER_ID),
  marketId: asId(SLUG),
  tokenId: asId(YES),
  side: 'buy',
  role: 'maker',
  legs: [{ shares: shareMicros(shares * 1_000_000), price: priceTicks(4_000) }],
  fee: { unit: 'cash', micros: 0 },
  word: 'matched',
  matchedAtMs: T0 + second * 1_000,
  transactionHash: null,
  ...change,
});
const NEWEST: Partial<VenueFill> = { word: 'confirmed', transactionHash: '0xnewest' };

/** A transaction that names the order and moves so many shares. */
interface Settled {
  readonly hash: Hex;
  readonly shares: number;
  readonly tokenId?: string;
  readonly confirmations?: number;
  readonly succeeded?: boolean;
  /** The order's wallet gives them. */
  readonly given?: true;
  /** Who says that they move. */
  readonly contract?: Address;
}

describe('trades of an order of venue_c that others have followed', () => {
  async function settled(
    transactions: readonly Settled[],
    fills: readonly VenueFill[],
    {
      afterMs = FOUND_MS + 2_000,
      headMs = afterMs,
      times = 1,
      order = anOrder(),
    }: {
      readonly afterMs?: number;
      readonly headMs?: number;
      readonly times?: number;
      readonly order?: OrderHandle;
    } = {},
  ) {
    const asked: LogQuery[] = [];
    const digestOf = createOrderDigest(await loadKeccak(), 8_453);
    const owner: Hex = `0x${WALLET.slice(2).toLowerCase().padStart(64, '0')}`;
    const log = ({ hash, shares, tokenId = YES, given, contract = TOKENS }: Settled): EvmLog => ({
      address: contract,
      topics: [
        toEventSelector('TransferSingle(address,address,address,uint256,uint256)'),
        ZERO,
        ...(given ? [owner, ZERO] : [ZERO, owner]),
      ],
      data: encodeAbiParameters(parseAbiParameters('uint256, uint256'), [
        BigInt(tokenId),
        BigInt(Math.round(shares * 1_000_000)),
      ]),
      blockNumber: 50_000,
      transactionHash: hash,
      logIndex: 1,
    });
    const readSettlements = createSettlementReader({
      conditionalTokens: TOKENS,
      digestOf,
      evm: {
        head: async () => ({ blockNumber: 200_000, atMs: T0 + headMs, hash: ZERO }),
        async logs(query) {
          asked.push(query);
          return transactions.map((one) => ({ ...log(one), address: asId<Address>(EXCHANGE) }));
        },
        async receipt(transactionHash) {
          const named = transactions.filter(({ hash }) => hash === transactionHash);
          const [{ confirmations = EVM_RAIL.confirmations, succeeded = true } = {}] = named;
          const logs = named.map(log);
          return { transactionHash, succeeded, blockNumber: 50_000, confirmations, logs };
        },
      },
    });
    const earlier = createEarlierTrades(createVirtualClock(T0 + afterMs), readSettlements);
    let last: readonly VenueFill[] = [];
    for (let time = 0; time < times; time += 1) last = await earlier.settled(order, WALLET, fills);
    return {
      words: last.map(({ word }) => word),
      hashes: last.map(({ transactionHash }) => transactionHash),
      asked,
      digest: hexOf(digestOf(WALLET, order.intent, PREPARED)),
    };
  }
  const NEWEST_SETTLED: Settled = { hash: '0xnewest', shares: 12 };

  it('L2: are final by a transaction of so many shares that names their order, asked for once', async () => {
    const { words, hashes, asked, digest } = await settled(
      [{ hash: '0xfirst', shares: 8 }, NEWEST_SETTLED],
      [fill('a', 8, 0), fill('b', 12, 1, NEWEST)],
      { times: 3 },
    );
    expect([words, hashes]).toEqual([
      ['confirmed', 'confirmed'],
      ['0xfirst', '0xnewest'],
    ]);
    expect(asked).toEqual([
      expect.objectContaining({ address: EXCHANGE, topics: [null, digest], toBlock: 200_000 }),
    ]);
  });

  it('are final each by one of its own where they are equally large, less a fee in shares', async () => {
    const { hashes } = await settled(
      [{ hash: '0xa', shares: 7.9 }, { hash: '0xb', shares: 7.9 }, NEWEST_SETTLED],
      [
        fill('a', 8, 0, { fee: { unit: 'shares', micros: 100_000 } }),
        fill('b', 8, 1, { fee: { unit: 'shares', micros: 100_000 } }),
        fill('c', 12, 2, NEWEST),
      ],
    );
    expect(hashes).toEqual(['0xa', '0xb', '0xnewest']);
  });

  it('are looked for all where they came in the same moment', async () => {
    const { words, hashes } = await settled(
      [
        { hash: '0xb', shares: 12 },
        { hash: '0xa', shares: 8 },
      ],
      [fill('a', 8, 0), fill('b', 12, 0)],
    );
    expect([words, hashes]).toEqual([
      ['confirmed', 'confirmed'],
      ['0xa', '0xb'],
    ]);
  });

  it('are final of a sale by what its wallet gave', async () => {
    const { words } = await settled(
      [{ hash: '0xa', shares: 8, given: true }],
      [fill('a', 8, 0, { side: 'sell' }), fill('b', 12, 1, NEWEST)],
    );
    expect(words).toEqual(['confirmed', 'confirmed']);
  });

  it.each<[string, Settled]>([
    ['that is the newest one’s', { hash: '0xnewest', shares: 8 }],
    ['of another token', { hash: '0xa', shares: 8, tokenId: '7' }],
    ['in which another contract says so', { hash: '0xa', shares: 8, contract: WALLET }],
    ['that is not final', { hash: '0xa', shares: 8, confirmations: EVM_RAIL.confirmations - 1 }],
    ['that has failed', { hash: '0xa', shares: 8, succeeded: false }],
  ])('L2: are not final by a transaction %s', async (_which, transaction) => {
    const { words } = await settled([transaction], [fill('a', 8, 0), fill('b', 12, 1, NEWEST)]);
    expect(words).toEqual(['matched', 'confirmed']);
  });

  it('L2: are final by one that settled another order of the wallet too, and none is undone while it may be either’s', async () => {
    const both: Settled = { hash: '0xboth', shares: 9 };
    const one = await settled([both, NEWEST_SETTLED], [fill('a', 8, 0), fill('b', 12, 1, NEWEST)]);
    expect([one.words, one.hashes]).toEqual([
      ['confirmed', 'confirmed'],
      ['0xboth', '0xnewest'],
    ]);
    const two = await settled(
      [both, NEWEST_SETTLED],
      [fill('a', 8, 0), fill('c', 7, 0.5), fill('b', 12, 1, NEWEST)],
      { afterMs: UNDONE_MS + 2_000 },
    );
    expect(two.words).toEqual(['matched', 'matched', 'confirmed']);
  });

  it('L3: are undone where no block made long after has them, and not before', async () => {
    const fills = [fill('a', 8, 0), fill('b', 12, 1, NEWEST)];
    const soon = await settled([NEWEST_SETTLED], fills, { afterMs: UNDONE_MS - 1 });
    expect(soon.words).toEqual(['matched', 'confirmed']);
    const behind = await settled([NEWEST_SETTLED], fills, {
      afterMs: UNDONE_MS,
      headMs: UNDONE_MS - 1,
    });
    expect(behind.words).toEqual(['matched', 'confirmed']);
    const late = await settled([NEWEST_SETTLED], fills, { afterMs: UNDONE_MS });
    expect(late.words).toEqual(['failed', 'confirmed']);
  });

  it('L2: are not undone where the chain does not name the order in what the venue states', async () => {
    const { words } = await settled([], [fill('a', 8, 0), fill('b', 12, 1, NEWEST)], {
      afterMs: UNDONE_MS,
    });
    expect(words).toEqual(['matched', 'confirmed']);
  });

  it('stay as they are where the order was not signed here, or it is longer ago than is read', async () => {
    const fills = [fill('a', 8, 0), fill('b', 12, 1, NEWEST)];
    const { attempt, ...order } = anOrder();
    const foreign = await settled([NEWEST_SETTLED], fills, {
      afterMs: UNDONE_MS,
      order: { ...order, attempt: { ...attempt, extra: null } },
    });
    const old = await settled([NEWEST_SETTLED], fills, {
      afterMs: (EVM_WALLET.historyBlocksMaximum + 1) * VENUE_C_ORDER.blockMinimumMs,
    });
    for (const { words, asked } of [foreign, old])
      expect([words, asked]).toEqual([['matched', 'confirmed'], []]);
  });

  it('are not asked about while they may be under way, nor is the newest one ever', async () => {
    const young = await settled([], [fill('a', 8, 0), fill('b', 12, 1)], { afterMs: FOUND_MS - 1 });
    const alone = await settled([], [fill('a', 8, 0)], { afterMs: UNDONE_MS });
    expect([young.words, alone.words]).toEqual([['matched', 'matched'], ['matched']]);
    expect([young.asked, alone.asked]).toEqual([[], []]);
  });
});
