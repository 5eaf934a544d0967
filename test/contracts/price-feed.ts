import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asset } from '../../src/domain/ids.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../../src/ports/price-feed.ts';
import { collect, type Collected } from '../support/collect.ts';

/** A price source under test, and the levers of its world. */
export interface PriceFeedUnderTest {
  readonly feed: PriceFeed;
  readonly clock: Clock;
  /** The kinds of price it gives. */
  readonly kinds: readonly TwapSeconds[];
  /** False where nothing is kept from before the watch began. */
  readonly remembersBefore: boolean;
  /** Lets the world say some seconds of prices, where it does not do so by itself. */
  live(): void;
  /** Makes the source fall silent, until its watchdog finds it; and lets it speak again. */
  silence(): void;
  speak(): void;
  end(): Promise<void>;
}

/** What every source behind the price port must do. */
export function describePriceFeed(name: string, open: () => Promise<PriceFeedUnderTest>): void {
  describe(`the price port on ${name}`, () => {
    let under: PriceFeedUnderTest;
    const stops: (() => void)[] = [];
    beforeEach(async () => {
      under = await open();
    });
    afterEach(async () => {
      for (const stop of stops.splice(0)) stop();
      await under.end();
    });
    const watch = (assets: readonly Asset[]) => {
      const ticks = collect<PriceTick>();
      stops.push(under.feed.watch(assets, ticks));
      under.live();
      return ticks;
    };

    /** Resolves when at least four prices of every kind have come, and of no other. */
    const whenAllKinds = async (ticks: Collected<PriceTick>): Promise<readonly PriceTick[]> => {
      const countOf = (kind: TwapSeconds) =>
        ticks.values.filter(({ twapSeconds }) => twapSeconds === kind).length;
      while (under.kinds.some((kind) => countOf(kind) < 4))
        await ticks.whenValues(ticks.values.length + 1);
      expect(under.kinds.reduce((sum, kind) => sum + countOf(kind), 0)).toBe(ticks.values.length);
      return [...ticks.values];
    };

    it('gives prices of the assets asked for and of no other, believable in worth and time', async () => {
      const assets: readonly Asset[] = ['BTC', 'SOL'];
      const ticks = watch(assets);
      await ticks.whenValues(12);
      // what is kept of one may come before anything of the other
      while (!assets.every((one) => ticks.values.some(({ asset }) => asset === one)))
        await ticks.whenValues(ticks.values.length + 1);
      const seen = [...ticks.values];
      expect(new Set(seen.map(({ asset }) => asset))).toEqual(new Set(assets));
      const wrong = seen.filter(({ price, sourceAtMs, asset }) => {
        const usd = price / 100_000_000;
        const isPlausible =
          asset === 'BTC' ? usd > 1_000 && usd < 10_000_000 : usd > 1 && usd < 10_000;
        return (
          !Number.isSafeInteger(price) ||
          !Number.isInteger(sourceAtMs) ||
          !isPlausible ||
          sourceAtMs > under.clock.nowMs() + 2_000
        );
      });
      expect(wrong).toEqual([]);
    });

    it('goes forward in time within each asset and kind', async () => {
      const ticks = watch(['BTC', 'ETH']);
      const seen = await whenAllKinds(ticks);
      const newest = new Map<string, number>();
      const backward = seen.filter(({ asset, twapSeconds, sourceAtMs }) => {
        const key = `${asset} ${twapSeconds}`;
        const isBackward = sourceAtMs < (newest.get(key) ?? 0);
        newest.set(key, sourceAtMs);
        return isBackward;
      });
      expect(backward).toEqual([]);
    });

    it('repairs a moment that was seen live by the first price at or after it', async () => {
      const ticks = watch(['BTC']);
      await whenAllKinds(ticks);
      for (const kind of under.kinds) {
        const own = ticks.values.filter(({ twapSeconds }) => twapSeconds === kind);
        const moment = own.at(-2)?.sourceAtMs ?? 0;
        const found = await under.feed.priceAt('BTC', moment, kind);
        expect(found).toMatchObject({ asset: 'BTC', twapSeconds: kind });
        expect((found?.sourceAtMs ?? 0) - moment).toBeGreaterThanOrEqual(0);
        expect((found?.sourceAtMs ?? Infinity) - moment).toBeLessThanOrEqual(1_000);
      }
    });

    it('has no price for the future, nor for a kind it does not give', async () => {
      const ticks = watch(['BTC']);
      await ticks.whenValues(1);
      const [kind] = under.kinds;
      expect(
        await under.feed.priceAt('BTC', under.clock.nowMs() + 3_600_000, kind ?? null),
      ).toBeNull();
      if (!under.kinds.includes(60))
        expect(await under.feed.priceAt('BTC', under.clock.nowMs() - 10_000, 60)).toBeNull();
    });

    it('knows moments from before the watch where it keeps a history, and else says that it does not', async () => {
      const moment = Math.floor(under.clock.nowMs() / 1_000) * 1_000 - 60_000;
      const found = await under.feed.priceAt('ETH', moment, under.kinds[0] ?? null);
      expect(found?.sourceAtMs ?? null).toBe(under.remembersBefore ? moment : null);
    });

    it('tells every reader all of it', async () => {
      const [one, two] = [collect<PriceTick>(), collect<PriceTick>()];
      stops.push(under.feed.watch(['BTC'], one), under.feed.watch(['BTC'], two));
      under.live();
      await Promise.all([whenAllKinds(one), whenAllKinds(two)]);
      const momentsOf = ({ values }: Collected<PriceTick>) =>
        new Set(values.map(({ sourceAtMs, twapSeconds }) => `${twapSeconds} ${sourceAtMs}`));
      const shared = [...momentsOf(one)].filter((moment) => momentsOf(two).has(moment));
      expect(shared.length).toBeGreaterThanOrEqual(3);
    });

    it('says nothing after it was stopped', async () => {
      const ticks = collect<PriceTick>();
      const stop = under.feed.watch(['BTC'], ticks);
      under.live();
      await ticks.whenValues(1);
      stop();
      const count = ticks.values.length;
      const others = watch(['BTC']);
      await others.whenValues(8);
      expect([ticks.values.length, ticks.errors]).toEqual([count, []]);
    });

    it('ends a silent connection with one retryable error, and starts afresh when watched again', async () => {
      const ticks = watch(['BTC']);
      await ticks.whenValues(2);
      under.silence();
      expect(await ticks.whenFailed()).toMatchObject({
        code: 'venue_unavailable',
        retryable: true,
      });
      const count = ticks.values.length;
      under.speak();
      const again = watch(['BTC']);
      await again.whenValues(4);
      expect([ticks.values.length, ticks.errors.length]).toEqual([count, 1]);
    });
  });
}
