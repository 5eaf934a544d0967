import { getAddress, isAddress, type Hex } from 'viem';
import { LOCAL_CHAIN } from '../../../../../config/limits/sandbox-chains.ts';
import { POOL_AMM } from '../../../../../config/limits/sandbox-pools.ts';
import type { FixedProductPool } from '../../../../domain/fixed-product-pool.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import { CONDITIONAL_TOKENS_ABI } from '../../../chains/evm/contract-abis.ts';
import type { LocalChain } from '../../../chains/evm/local-chain.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { POOL_ABI } from '../chain/pool-abi.ts';
import { openPoolAccount, type PoolAccount } from '../chain/pool-account.ts';
import { POOL_FEE_E18 } from '../chain/pool-address.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import { dropOld } from '../model/exchange-state.ts';
import type { VenueMarket } from '../model/market.ts';
import { openFillTape, type FillTape } from './fill-tape.ts';
import { fillsIn, type PoolFill } from './pool-fill.ts';

/** A pool that was made: plain JSON. */
export interface MadePool {
  readonly slug: string;
  /** EIP-55. */
  readonly address: Hex;
}

/** A pool as the chain has it. */
export interface KnownPool extends MadePool, FixedProductPool {
  readonly market: VenueMarket;
  /** Block of the reserves. */
  readonly blockNumber: number;
}

/** What the chain says anew. */
export type PoolEvent =
  | { readonly kind: 'price'; readonly pool: KnownPool }
  | { readonly kind: 'fill'; readonly pool: KnownPool; readonly fill: PoolFill };

/** The venue's pools: made when they are first asked for, and read from the chain. */
export interface Pools {
  readonly tape: FillTape;
  /** The account that makes and trades them. Errors: `chain_unavailable`, `chain_reverted`. */
  account(): Promise<PoolAccount>;
  /**
   * Makes the pools of the markets where they are not there yet, and reads all of them; what was
   * never asked for before its end has none. Other markets are passed over. Errors:
   * `chain_unavailable`, `chain_reverted`.
   */
  open(markets: readonly VenueMarket[]): Promise<void>;
  /** As it was read last; null where it was not opened. */
  of(market: VenueMarket): KnownPool | null;
  /** Market of the pool at an address; null for any other text. */
  marketAt(address: string): VenueMarket | null;
  /** Reads what has changed on the chain. Errors: `chain_unavailable`. */
  refresh(): Promise<void>;
  /** Polls by itself while there is a reason to, each `POOL_AMM.pollMs`. */
  watchWhile(isWatched: () => boolean): void;
  subscribe(listener: (event: PoolEvent) => void): () => void;
  stop(): Promise<void>;
}

/** Opens the pools; nothing is asked of the chain before the first call. */
export function openPools({
  chain: starting,
  clock,
  wallClock,
  marketOf,
  chanceOf,
  made,
  fills,
}: {
  /** Up or coming up: the first call that needs it waits. */
  readonly chain: Promise<LocalChain>;
  /** The markets' time. */
  readonly clock: Clock;
  /** The chains' time. */
  readonly wallClock: Clock;
  readonly marketOf: (slug: string) => VenueMarket | null;
  /** Chance of YES at which a pool begins. */
  readonly chanceOf: (market: VenueMarket) => number;
  /** Of an earlier run too, as `fills` is. */
  readonly made: RecordStore<MadePool>;
  readonly fills: RecordStore<PoolFill>;
}): Pools {
  const listeners = new Set<(event: PoolEvent) => void>();
  const known = new Map<string, KnownPool>();
  const making = new Map<string, Promise<void>>();
  const makers = { address: '' };
  const tape = openFillTape(fills, () => makers.address);
  let joining: Promise<{ readonly chain: LocalChain; readonly account: PoolAccount }> | null = null;
  let readUpTo: { readonly number: bigint; readonly hash: string } | null = null;
  let reading: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  let isWatched: () => boolean = () => false;
  let timer: Timer | null = null;
  let isStopped = false;

  function join() {
    joining ??= starting.then(async (chain) => {
      const account = await openPoolAccount(chain);
      makers.address = account.address;
      return { chain, account };
    });
    joining.catch(() => (joining = null));
    return joining;
  }

  async function make(market: VenueMarket): Promise<void> {
    const { account } = await join();
    await account.make(market, chanceOf(market));
    const address = getAddress(account.addressOf(market));
    made.put(market.slug, { slug: market.slug, address });
    dropOld(
      made,
      POOL_AMM.poolsKept,
      ({ slug }) => slug,
      () => true,
    );
    await read([market]);
  }

  function makeOnce(market: VenueMarket): Promise<void> {
    const running = making.get(market.slug) ?? make(market);
    making.set(market.slug, running);
    return running.finally(() => making.delete(market.slug));
  }

  /** Reads the reserves of pools that are there; what differs is published. */
  async function read(markets: readonly VenueMarket[]): Promise<void> {
    if (markets.length === 0) return;
    const { chain, account } = await join();
    const pools = markets.map((market) => getAddress(account.addressOf(market)));
    const { client } = chain.node;
    // as that block has them: a later one may come while they are read
    const { number } = await client.getBlock();
    const blockNumber = Number(number);
    const balances = await client.readContract({
      blockNumber: number,
      address: VENUE_C_CHAIN.conditionalTokens,
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'balanceOfBatch',
      args: [
        pools.flatMap((pool) => [pool, pool]),
        markets.flatMap(({ tokens }) => tokens.map(BigInt)),
      ],
    });
    for (const [index, market] of markets.entries()) {
      const reserves = [balances[2 * index] ?? 0n, balances[2 * index + 1] ?? 0n] as const;
      const address = pools[index];
      if (address === undefined) continue;
      const before = known.get(market.slug);
      // a pool that the chain has lost with its block is made again by the next who asks
      if (reserves[0] === 0n || reserves[1] === 0n) {
        known.delete(market.slug);
        continue;
      }
      const { slug } = market;
      const pool = { slug, address, market, reserves, feeE18: POOL_FEE_E18, blockNumber };
      known.set(slug, pool);
      if (before === undefined || String(before.reserves) !== String(reserves))
        emit({ kind: 'price', pool });
    }
  }

  async function readChain(): Promise<void> {
    const followed = followedNow();
    if (followed.length === 0) return;
    const { chain } = await join();
    const { client } = chain.node;
    const head = await client.getBlock();
    if (readUpTo !== null && readUpTo.hash === head.hash) return;
    const from = readUpTo === null ? head.number - BigInt(LOCAL_CHAIN.blocksKept) : readUpTo.number;
    const asked = (from < head.number ? from : head.number) - BigInt(POOL_AMM.rereadBlocks);
    const fromBlock = asked < 0n ? 0n : asked;
    const slugs = new Map(followed.map(({ slug, address }) => [address.toLowerCase(), slug]));
    const logs = await client.getLogs({
      address: followed.map(({ address }) => address),
      events: POOL_ABI.filter((entry) => entry.type === 'event'),
      fromBlock,
      toBlock: head.number,
    });
    const said = fillsIn(logs, (pool) => slugs.get(pool) ?? null, clock.nowMs());
    await read(followed.flatMap(({ slug }) => marketOf(slug) ?? []));
    // nothing is taken over before all of it was read: what fails is read again
    const fresh = tape.replace(Number(fromBlock), said);
    readUpTo = { number: head.number, hash: head.hash };
    for (const fill of fresh) {
      const pool = known.get(fill.slug);
      if (pool !== undefined) emit({ kind: 'fill', pool, fill });
    }
  }

  /** Pools of markets that are not long over. */
  function followedNow(): readonly MadePool[] {
    const sinceMs = clock.nowMs() - POOL_AMM.followedAfterEndMs;
    return made.all().filter(({ slug }) => (marketOf(slug)?.endsAtMs ?? 0) > sinceMs);
  }

  /** A read that begins after the call: one that waits already is as good. */
  function refresh(): Promise<void> {
    waiting ??= reading
      .catch(() => undefined)
      .then(() => {
        waiting = null;
        reading = readChain();
        return reading;
      });
    return waiting;
  }

  function emit(event: PoolEvent): void {
    for (const listener of listeners) listener(event);
  }

  function watch(): void {
    if (isStopped) return;
    timer = wallClock.after(POOL_AMM.pollMs, () => {
      // a node that does not answer is asked again
      void (isWatched() ? refresh().catch(() => undefined) : Promise.resolve()).then(watch);
    });
  }

  return {
    tape,
    account: async () => (await join()).account,
    async open(markets) {
      const asked = markets.filter(({ tradeType }) => tradeType === 'amm');
      if (asked.length === 0) return;
      const isOver = ({ endsAtMs }: VenueMarket): boolean =>
        clock.nowMs() > endsAtMs + POOL_AMM.followedAfterEndMs;
      const missing = asked.filter(
        (market) => !known.has(market.slug) && (!isOver(market) || made.get(market.slug) !== null),
      );
      await Promise.all(missing.map(makeOnce));
      await refresh();
    },
    of: ({ slug }) => known.get(slug) ?? null,
    marketAt(address) {
      if (!isAddress(address, { strict: false })) return null;
      const wanted = getAddress(address);
      const found = made.all().find((pool) => pool.address === wanted);
      return found === undefined ? null : marketOf(found.slug);
    },
    refresh,
    watchWhile(reason) {
      isWatched = reason;
      if (timer === null) watch();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await Promise.allSettled([reading, ...making.values()]);
    },
  };
}
