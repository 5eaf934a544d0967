import { FEEDS } from '../../../config/limits/market-data.ts';
import { assetPriceFromScaled } from '../../adapters/wire/asset-price.ts';
import { AppError } from '../../domain/errors.ts';
import type { Asset } from '../../domain/ids.ts';
import { assetPriceE8 } from '../../domain/units.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../../ports/price-feed.ts';
import { everyTick, type Steps } from '../ticks.ts';
import { MIRROR_DELAY_MS } from '../calibration/calibration.ts';
import { EXCHANGE_SLOT_MS, type ExchangePrices } from './prices/exchange-prices.ts';
import type { FaultBoard } from '../faults.ts';
import { twapAt, type SettlementPrices } from './prices/settlement-prices.ts';

/** What the direct feeds read, and the faults that silence them. */
export interface DirectPrices {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly settlement: SettlementPrices;
  readonly exchange: ExchangePrices;
}

/** A report is out this long after the second it observes, as in the sandbox's data streams. */
const PUBLISH_DELAY_MS = 250;
/** The venue's mirror greets with this much of the past. */
const MIRROR_HISTORY_SECONDS = 120;
/** Cents to units of 10^-8 USD. */
const E8_PER_CENT = 1_000_000;

/** The oracle's own feed: a spot price each second and all of the past. */
export function createDirectOracle(prices: DirectPrices): PriceFeed {
  const { clock, settlement } = prices;
  const at = (asset: Asset, second: number): PriceTick | null =>
    settlementTick(settlement, { asset, second, twapSeconds: null });
  return {
    name: 'oracle',
    watch: (assets, listener) =>
      watchTicks(prices, {
        path: '/data-streams',
        stepMs: 1_000,
        delayMs: PUBLISH_DELAY_MS,
        listener,
        assets,
        ticks: (asset, second) => [at(asset, second)],
      }),
    async priceAt(asset, atMs, twapSeconds) {
      const second = Math.ceil(atMs / 1_000);
      return twapSeconds !== null || second > Math.floor((clock.nowMs() - PUBLISH_DELAY_MS) / 1_000)
        ? null
        : at(asset, second);
    },
  };
}

/**
 * The venue's mirror of the oracle: spot and average, a second late, with two minutes of memory
 * from the first reader on.
 */
export function createDirectMirror(prices: DirectPrices): PriceFeed {
  const { clock, settlement } = prices;
  const kinds: readonly TwapSeconds[] = [null, 60];
  const remembered = new Map<string, PriceTick[]>();
  const keyOf = ({ asset, twapSeconds }: Pick<PriceTick, 'asset' | 'twapSeconds'>): string =>
    `${asset} ${twapSeconds ?? 'spot'}`;
  const remember = (tick: PriceTick): void => {
    const ticks = remembered.get(keyOf(tick)) ?? [];
    if (tick.sourceAtMs > (ticks.at(-1)?.sourceAtMs ?? 0))
      remembered.set(keyOf(tick), [...ticks.slice(1 - FEEDS.venuePriceHistoryMaximum), tick]);
  };
  const ticksAt = (asset: Asset, second: number) =>
    kinds.map((twapSeconds) => settlementTick(settlement, { asset, second, twapSeconds }));
  return {
    name: 'venue_oracle',
    watch(assets, listener) {
      const keeping: Listener<PriceTick> = {
        next(tick) {
          remember(tick);
          listener.next(tick);
        },
        error: (cause) => listener.error(cause),
      };
      const newest = Math.floor((clock.nowMs() - MIRROR_DELAY_MS) / 1_000);
      const firstMessage = clock.after(0, () => {
        for (let second = newest - MIRROR_HISTORY_SECONDS + 1; second <= newest; second += 1) {
          for (const asset of assets)
            for (const tick of ticksAt(asset, second)) if (tick !== null) keeping.next(tick);
        }
      });
      const stop = watchTicks(prices, {
        path: '/rtds',
        stepMs: 1_000,
        delayMs: MIRROR_DELAY_MS,
        listener: keeping,
        assets,
        ticks: ticksAt,
      });
      return () => {
        firstMessage.cancel();
        stop();
      };
    },
    async priceAt(asset, atMs, twapSeconds) {
      const ticks = remembered.get(keyOf({ asset, twapSeconds })) ?? [];
      const index = ticks.findIndex(({ sourceAtMs }) => sourceAtMs >= atMs);
      const [before, found] = [ticks[index - 1], ticks[index]];
      // Without the report before it nothing says that the one found is the first.
      const isFirst =
        found !== undefined &&
        (found.sourceAtMs === atMs ||
          (before !== undefined && found.sourceAtMs - before.sourceAtMs <= FEEDS.reportStepMs));
      return isFirst ? found : null;
    },
  };
}

/**
 * The exchange: the middle of its best prices four times a second, and the opening trade of any
 * past second.
 */
export function createDirectExchange(prices: DirectPrices): PriceFeed {
  const { clock, exchange } = prices;
  const at = (asset: Asset, slot: number): PriceTick | null => {
    const best = exchange.best(asset, slot);
    return best === null
      ? null
      : {
          asset,
          price: assetPriceE8(((best.bidCents + best.askCents) * E8_PER_CENT) / 2),
          sourceAtMs: slot * EXCHANGE_SLOT_MS,
          twapSeconds: null,
        };
  };
  return {
    name: 'exchange',
    watch: (assets, listener) =>
      watchTicks(prices, {
        path: '/exchange',
        stepMs: EXCHANGE_SLOT_MS,
        delayMs: 0,
        ...(exchange.knownFrom === undefined ? {} : { firstFrom: exchange.knownFrom }),
        listener,
        assets,
        ticks: (asset, slot) => [at(asset, slot)],
      }),
    async priceAt(asset, atMs, twapSeconds) {
      const second = Math.ceil(atMs / 1_000);
      const candle =
        twapSeconds !== null
          ? null
          : exchange.candle(asset, second, 1, Math.floor(clock.nowMs() / 1_000));
      return candle === null
        ? null
        : {
            asset,
            price: assetPriceE8(candle.open * E8_PER_CENT),
            sourceAtMs: second * 1_000,
            twapSeconds: null,
          };
    },
  };
}

function settlementTick(
  prices: SettlementPrices,
  {
    asset,
    second,
    twapSeconds,
  }: { readonly asset: Asset; readonly second: number; readonly twapSeconds: TwapSeconds },
): PriceTick | null {
  const e18 = twapSeconds === null ? prices.at(asset, second) : twapAt(prices, asset, second);
  const price = e18 === null ? null : assetPriceFromScaled(e18, 18);
  return price === null ? null : { asset, price, sourceAtMs: second * 1_000, twapSeconds };
}

interface TickWatch extends Steps {
  readonly path: string;
  readonly assets: readonly Asset[];
  readonly listener: Listener<PriceTick>;
  ticks(asset: Asset, tick: number): readonly (PriceTick | null)[];
}

/**
 * Reports ticks at a steady pace; a source that says nothing for too long is lost, as a socket
 * would be.
 */
function watchTicks(
  { clock, faults }: DirectPrices,
  { path, assets, listener, ticks, ...steps }: TickWatch,
): () => void {
  let heardAtMs = clock.nowMs();
  const end = (): void => {
    tick.cancel();
    silence.cancel();
  };
  /** Ticks only note their time: one timer goes from deadline to deadline. */
  const watchSilence = (): Timer =>
    clock.after(heardAtMs + FEEDS.priceSilenceMs - clock.nowMs(), () => {
      if (clock.nowMs() - heardAtMs < FEEDS.priceSilenceMs) {
        silence = watchSilence();
        return;
      }
      end();
      listener.error(
        new AppError('venue_unavailable', `${path} was silent for ${FEEDS.priceSilenceMs} ms`, {
          retryable: true,
        }),
      );
    });
  const tick = everyTick(clock, steps, (number) => {
    for (const asset of assets) {
      if (faults.isArmed('feed-stall', { path, asset })) continue;
      for (const tick of ticks(asset, number)) {
        if (tick === null) continue;
        heardAtMs = clock.nowMs();
        listener.next(tick);
      }
    }
  });
  let silence = watchSilence();
  return end;
}
