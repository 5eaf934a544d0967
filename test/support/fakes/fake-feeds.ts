import { AppError } from '../../../src/domain/errors.ts';
import type { Asset } from '../../../src/domain/ids.ts';
import type { Observed, Prediction } from '../../../src/domain/signal.ts';
import { assetPriceE8, type AssetPriceE8 } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Inference } from '../../../src/ports/inference.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../../../src/ports/price-feed.ts';

/** USD as an asset price. */
export const usd = (value: number): AssetPriceE8 => assetPriceE8(Math.round(value * 100_000_000));

/** A price source in memory: a test pushes its ticks; its history is what was pushed or noted. */
export interface FakePriceFeed extends PriceFeed {
  /** Connections open now, and opened ever. */
  readonly running: number;
  readonly opened: number;
  /** Moments asked of the history. */
  readonly asked: number[];
  /** Says a tick to every reader and keeps it in the history. */
  tick(asset: Asset, price: number, sourceAtMs: number, twapSeconds?: TwapSeconds): void;
  /** Puts a tick in the history only: no subscriber got it. */
  note(asset: Asset, price: number, sourceAtMs: number, twapSeconds?: TwapSeconds): void;
  /** Loses every connection. */
  lose(): void;
  /** Fails every connection for good. */
  breakDown(): void;
}

/** Makes a price source. Without `hasHistory` it repairs nothing. */
export function createFakePriceFeed(
  name: PriceFeed['name'],
  { hasHistory = true } = {},
): FakePriceFeed {
  const readers = new Map<Listener<PriceTick>, readonly Asset[]>();
  const history: PriceTick[] = [];
  const asked: number[] = [];
  let opened = 0;
  const note = (
    asset: Asset,
    price: number,
    sourceAtMs: number,
    twapSeconds: TwapSeconds,
  ): PriceTick => {
    const tick = { asset, price: usd(price), sourceAtMs, twapSeconds };
    history.push(tick);
    return tick;
  };
  const fail = (error: AppError): void => {
    for (const reader of readers.keys()) {
      readers.delete(reader);
      reader.error(error);
    }
  };
  return {
    name,
    asked,
    get running() {
      return readers.size;
    },
    get opened() {
      return opened;
    },
    watch(assets, listener) {
      readers.set(listener, assets);
      opened += 1;
      return () => readers.delete(listener);
    },
    async priceAt(asset, atMs, twapSeconds) {
      asked.push(atMs);
      if (!hasHistory) return null;
      return (
        history
          .filter(
            (tick) =>
              tick.asset === asset && tick.twapSeconds === twapSeconds && tick.sourceAtMs >= atMs,
          )
          .sort((a, b) => a.sourceAtMs - b.sourceAtMs)[0] ?? null
      );
    },
    tick(asset, price, sourceAtMs, twapSeconds = null) {
      const tick = note(asset, price, sourceAtMs, twapSeconds);
      for (const [reader, assets] of readers) if (assets.includes(asset)) reader.next(tick);
    },
    note(asset, price, sourceAtMs, twapSeconds = null) {
      note(asset, price, sourceAtMs, twapSeconds);
    },
    lose: () => fail(new AppError('venue_unavailable', 'socket lost', { retryable: true })),
    breakDown: () => fail(new AppError('venue_protocol', 'no such feed')),
  };
}

/** An inference network in memory: gives what was set, or fails as was set. */
export interface FakeInference extends Inference {
  readonly askedAtMs: number[];
  predict(price: number, sourceAtMs: number): void;
  fail(error: unknown): void;
}

/** Makes an inference network that at first fails for want of a value. */
export function createFakeInference(clock: Clock): FakeInference {
  const askedAtMs: number[] = [];
  let answer: { readonly price: number; readonly sourceAtMs: number } | null = null;
  let error: unknown = new AppError('venue_unavailable', 'nothing predicted yet', {
    retryable: true,
  });
  return {
    askedAtMs,
    async latest(): Promise<Observed<Prediction>> {
      askedAtMs.push(clock.nowMs());
      if (answer === null) throw error;
      const price = usd(answer.price);
      return {
        value: { topicId: 14, price, interval: [price, price, price, price, price] },
        sourceAtMs: answer.sourceAtMs,
        receivedAtMs: clock.nowMs(),
      };
    },
    predict(price, sourceAtMs) {
      answer = { price, sourceAtMs };
    },
    fail(cause) {
      answer = null;
      error = cause;
    },
  };
}
