import { POOL_AMM } from '../../../../../config/limits/sandbox-pools.ts';
import { poolPrice, sharesSold, tradeTo } from '../../../../domain/fixed-product-pool.ts';
import { inWallTime, type Clock } from '../../../../ports/clock.ts';
import { hashedNormal, streamOf } from '../../../hashed-chance.ts';
import { everyTick } from '../../../ticks.ts';
import type { VenueMarket } from '../model/market.ts';
import type { Values } from '../model/values.ts';
import type { KnownPool, Pools } from './pools.ts';

/** Moves the prices of pools that clients read. */
export interface PoolMaker {
  /** Trades a market's pool now and for a while. */
  read(market: VenueMarket): void;
  /** True while it trades any. */
  isBusy(): boolean;
  /**
   * Moves a pool to a chance of YES, by buying what is too cheap or selling what is too dear.
   * Errors: `chain_unavailable`, `chain_reverted`.
   */
  push(pool: KnownPool, yesPrice: number, prefersSale?: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Opinion of the traders around what a market is worth: a standard deviation of its price. */
const OPINION = 0.015;
/** A price nearer than this to their opinion is left: less than the fee of a trade. */
const TOLERANCE = 0.008;
const [LEAST, MOST] = [0.02, 0.98];

/** Starts the traders; they do nothing until a pool is read. */
export function startPoolMaker({
  clock,
  seed,
  values,
  pools,
  isTrading,
}: {
  /** The markets' time. */
  readonly clock: Clock;
  readonly seed: number;
  readonly values: Values;
  readonly pools: Pools;
  /** False leaves the pools to their users. */
  readonly isTrading: boolean;
}): PoolMaker {
  const stepMs = Math.max(POOL_AMM.tradeMs, inWallTime(clock, POOL_AMM.tradeWallMs));
  const read = new Map<string, { readonly market: VenueMarket; untilMs: number }>();
  let trading: Promise<void> = Promise.resolve();

  const tick = everyTick(clock, { stepMs, delayMs: 0 }, () => {
    for (const [slug, { market, untilMs }] of read) {
      if (clock.nowMs() > untilMs || clock.nowMs() >= market.endsAtMs) read.delete(slug);
      else tradeInTurn(market);
    }
    if (read.size === 0) tick.rest();
  });
  tick.rest();

  /** One after the other; what a node does not take is left for the next turn. */
  function tradeInTurn(market: VenueMarket): void {
    trading = trading.then(() => trade(market)).catch(() => undefined);
  }

  async function trade(market: VenueMarket): Promise<void> {
    const nowMs = clock.nowMs();
    const fair = nowMs >= market.endsAtMs ? null : values.fairAt(market, nowMs);
    if (fair === null) return;
    await pools.open([market]);
    const pool = pools.of(market);
    if (pool === null) return;
    const turn = Math.floor(nowMs / stepMs);
    const stream = streamOf(market.slug) + 11;
    const wanted = fair + OPINION * hashedNormal(seed, stream, turn);
    const yesPrice = Math.min(MOST, Math.max(LEAST, wanted));
    if (Math.abs(yesPrice - poolPrice(pool, 0)) < TOLERANCE) return;
    await push(pool, yesPrice, hashedNormal(seed, stream + 1, turn) < 0);
  }

  async function push(pool: KnownPool, yesPrice: number, prefersSale = false): Promise<void> {
    const trade = tradeTo(pool, yesPrice);
    if (trade === null) return;
    const { cheap, toPay, toBePaid } = trade;
    const dear = cheap === 0 ? 1 : 0;
    const account = await pools.account();
    const needed = sharesSold(pool, dear, toBePaid);
    const canSell =
      prefersSale && needed !== null && (await account.shares(pool.market))[dear] >= needed;
    await account.trade(
      pool.address,
      canSell
        ? { side: 'sell', outcome: dear, dollars: toBePaid }
        : { side: 'buy', outcome: cheap, dollars: toPay },
    );
    await pools.refresh();
  }

  return {
    read(market) {
      if (!isTrading) return;
      const untilMs = clock.nowMs() + POOL_AMM.tradedAfterReadMs;
      const known = read.get(market.slug);
      if (known !== undefined) {
        known.untilMs = untilMs;
        return;
      }
      if (clock.nowMs() >= market.endsAtMs) return;
      read.set(market.slug, { market, untilMs });
      tradeInTurn(market);
      tick.wake();
    },
    isBusy: () => read.size > 0,
    push,
    async stop() {
      tick.cancel();
      await trading;
    },
  };
}
