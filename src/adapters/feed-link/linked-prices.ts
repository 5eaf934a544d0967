import { AppError } from '../../domain/errors.ts';
import { assetPriceE8 } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PriceFeed, PriceTick } from '../../ports/price-feed.ts';
import type { FeedLink, News } from './feed-link.ts';
import { EXCHANGE, priceAnswer } from './protocol.ts';

/**
 * Reads prices from a feed. Those of an exchange carry no time but that of their arrival at the
 * feed: here they are as old as the feed said, by this clock, since those of two machines are not
 * compared. All others carry the moment their source speaks of, which stays as it is. A source that
 * the feed has no key to is absent and fails nothing, as it is to a process without the key; what a
 * feed that is started with one reads is followed after a start of this process.
 */
export function linkedPrices({
  link,
  name,
  source,
  clock,
}: {
  readonly link: FeedLink;
  readonly name: PriceFeed['name'];
  /** As the feed calls them. */
  readonly source: string;
  /** Market time. */
  readonly clock: Clock;
}): PriceFeed {
  return {
    name,
    watch(assets, listener) {
      const newestAtMs = new Map<string, number>();
      const tickOf = (news: Extract<News, { readonly op: 'tick' }>): PriceTick => {
        const { asset, twapSeconds, price } = news;
        if (source !== EXCHANGE)
          return { asset, price: assetPriceE8(price), sourceAtMs: news.sourceAtMs, twapSeconds };
        // Ticks on their way for different times keep their order.
        const sourceAtMs = Math.max(clock.nowMs() - news.ageMs, newestAtMs.get(asset) ?? 0);
        newestAtMs.set(asset, sourceAtMs);
        return { asset, price: assetPriceE8(price), sourceAtMs, twapSeconds };
      };
      return link.follow(
        { kind: 'prices', source },
        {
          hear(news) {
            if (news.op === 'tick' && assets.includes(news.asset)) listener.next(tickOf(news));
          },
          lost(cause) {
            if (!isUnread(cause)) listener.error(cause);
          },
        },
      ).stop;
    },
    async priceAt(asset, atMs, twapSeconds) {
      const asked = link.ask({
        kind: 'price_at',
        source,
        asset,
        atMs: Math.floor(atMs),
        twapSeconds,
      });
      const answer = priceAnswer.safeParse(
        await asked.catch((cause: unknown) => {
          if (isUnread(cause)) return null;
          throw cause;
        }),
      );
      if (!answer.success)
        throw new AppError('venue_protocol', `the feed answered no price of ${asset}`);
      return (
        answer.data && {
          asset,
          price: assetPriceE8(answer.data.price),
          sourceAtMs: answer.data.sourceAtMs,
          twapSeconds,
        }
      );
    },
  };
}

function isUnread(cause: unknown): boolean {
  return cause instanceof AppError && cause.code === 'not_found';
}
