import type { RecordedBook, Recording } from '../../../src/tools/replay/recording.ts';
import { EXCHANGE_SLOT_MS } from '../../../src/sandbox/feeds/prices/exchange-prices.ts';

/**
 * The recording as it would have gone on if everything after a moment had come otherwise: prices a
 * tenth lower, books turned round.
 */
export function withOtherFuture(recording: Recording, cutMs: number): Recording {
  const { settlement, exchange, books } = recording;
  const isLater = (second: number): boolean => second * 1_000 >= cutMs;
  const lower = (cents: number): number => Math.round(cents * 0.9);
  return {
    ...recording,
    settlement: {
      at(asset, second) {
        const price = settlement.at(asset, second);
        return price !== null && isLater(second) ? (price * 9n) / 10n : price;
      },
      valueAt(asset, second) {
        const price = settlement.valueAt(asset, second);
        return price !== null && isLater(second) ? price * 0.9 : price;
      },
    },
    exchange:
      exchange === null
        ? null
        : {
            trade(asset, second) {
              const trade = exchange.trade(asset, second);
              return trade !== null && isLater(second)
                ? { ...trade, cents: lower(trade.cents) }
                : trade;
            },
            quote(asset, slot) {
              const quote = exchange.quote(asset, slot);
              return quote !== null && slot * EXCHANGE_SLOT_MS >= cutMs
                ? { ...quote, bidCents: lower(quote.bidCents), askCents: lower(quote.askCents) }
                : quote;
            },
            best(asset, slot) {
              const prices = exchange.best(asset, slot);
              return prices !== null && slot * EXCHANGE_SLOT_MS >= cutMs
                ? { bidCents: lower(prices.bidCents), askCents: lower(prices.askCents) }
                : prices;
            },
            candle(asset, startSecond, seconds, untilSecond) {
              const candle = exchange.candle(asset, startSecond, seconds, untilSecond);
              return candle !== null && isLater(Math.min(startSecond + seconds - 1, untilSecond))
                ? { ...candle, close: lower(candle.close), low: lower(candle.low) }
                : candle;
            },
          },
    books: books?.map((book) => (book.atMs >= cutMs ? turned(book) : book)) ?? null,
    rounds: recording.rounds.map((round) =>
      round.payoutTicks === null
        ? round
        : { ...round, payoutTicks: [round.payoutTicks[1], round.payoutTicks[0]] as const },
    ),
  };
}

/** A bid for Up becomes an ask at the price of Down, and the other way round. */
function turned({ atMs, bids, asks }: RecordedBook): RecordedBook {
  const other = (levels: RecordedBook['bids']): RecordedBook['bids'] =>
    levels.map(({ price, size }) => ({ price: 10_000 - price, size }));
  return { atMs, bids: other(asks), asks: other(bids) };
}

/**
 * A recording that tells every settlement price some seconds before it came: the mistake the probe
 * is there to find.
 */
export function withPeeking(recording: Recording, seconds: number): Recording {
  const { settlement } = recording;
  return {
    ...recording,
    settlement: {
      at: (asset, second) => settlement.at(asset, second + seconds),
      valueAt: (asset, second) => settlement.valueAt(asset, second + seconds),
    },
  };
}
