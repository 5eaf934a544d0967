import { failureOf } from '../adapters/feed-link/protocol.ts';
import type { Asset } from '../domain/ids.ts';
import type { PriceFeed, PriceTick } from '../ports/price-feed.ts';
import type { Runtime } from '../ports/runtime.ts';
import { encode, type Channel, type ReaderEnd } from './channel.ts';
import { createUpstream } from './upstream.ts';

/**
 * Tells readers the prices of one source. None is ever left out: a reader takes two that follow
 * each other for all there were between them (`streams/price-readings.ts`).
 */
export function createPriceChannel(
  options: Pick<Runtime, 'clock' | 'random'> & {
    readonly number: number;
    readonly feed: PriceFeed;
    /** All that are followed, whatever one reader wants of them. */
    readonly assets: readonly Asset[];
    /** No reader is left, and none comes back. */
    readonly ended: () => void;
  },
): Channel {
  const { number, feed, assets, clock } = options;
  const readers = new Set<ReaderEnd>();
  /** The newest of each asset and kind. */
  const newest = new Map<string, PriceTick>();
  const upstream = createUpstream<PriceTick, () => void>(options, {
    open: (listener) => feed.watch(assets, listener),
    stop: (stop) => stop(),
    next(tick) {
      newest.set(`${tick.asset} ${tick.twapSeconds}`, tick);
      const text = textOf(tick);
      for (const reader of readers) reader.send(text);
    },
    lost(cause) {
      newest.clear();
      const text = encode({ op: 'ended', channel: number, failure: failureOf(cause) });
      const left = [...readers];
      readers.clear();
      upstream.release();
      for (const reader of left) reader.ended(channel, text);
    },
    ended: options.ended,
  });

  function textOf(tick: PriceTick): string {
    const { asset, price, sourceAtMs, twapSeconds } = tick;
    const ageMs = clock.nowMs() - sourceAtMs;
    return encode({ op: 'tick', channel: number, asset, price, sourceAtMs, ageMs, twapSeconds });
  }

  const channel: Channel = {
    number,
    lostMs: () => lostMs(upstream.lostSinceMs(), clock.nowMs()),
    join(reader) {
      readers.add(reader);
      upstream.want();
      for (const tick of newest.values()) reader.send(textOf(tick));
    },
    leave(reader) {
      if (readers.delete(reader) && readers.size === 0) upstream.release();
    },
    whole: () => undefined,
    catchUp: () => undefined,
    close: () => upstream.close(),
  };
  return channel;
}

/** How long a source has been lost that is so since then. */
export function lostMs(sinceMs: number | null, nowMs: number): number {
  return sinceMs === null ? 0 : nowMs - sinceMs;
}
