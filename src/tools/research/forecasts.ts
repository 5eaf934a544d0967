import { middleOf } from '../../domain/book.ts';
import type { UpQuestion } from '../../domain/probability.ts';
import type { RoundView } from '../../domain/signal.ts';
import { signalStrength } from '../../domain/strategy/terms.ts';
import { playSeries } from './play-series.ts';
import type { RecordedSeries } from './series.ts';

/** What was said of one round at one moment, and what came. */
export interface ForecastRow {
  readonly slug: string;
  readonly startsAtMs: number;
  readonly secondsLeft: number;
  /** The first outcome, Up or Yes, won. */
  readonly happened: boolean;
  /** Our signal strength of the first outcome; null where an input was missing or stale. */
  readonly ours: number | null;
  /** What our signal was computed from; null with it. */
  readonly question: UpQuestion | null;
  /** Middle of the market's best prices for the first outcome; null without quotes. */
  readonly market: number | null;
}

/**
 * Takes each round's forecasts at the stated times before its end: of the first moment within
 * `patienceMs` after each time. The signal is that of the strategies (`signalStrength`), to the
 * letter.
 */
export function forecastsOf(
  series: RecordedSeries,
  secondsLeft: readonly number[],
  patienceMs: number,
): readonly ForecastRow[] {
  const rows: ForecastRow[] = [];
  const taken = new Set<string>();
  playSeries(series, ({ round, view, quotes }) => {
    for (const seconds of secondsLeft) {
      const lateMs = view.atMs - (round.endsAtMs - seconds * 1_000);
      const name = `${round.slug} ${seconds}`;
      if (lateMs < 0 || lateMs >= patienceMs || taken.has(name)) continue;
      taken.add(name);
      rows.push({
        slug: round.slug,
        startsAtMs: round.startsAtMs,
        secondsLeft: seconds,
        happened: round.winner === 0,
        ours: signalStrength(view, 0),
        question: questionOf(view),
        market: quotes === null ? null : middleOf(quotes.tops[0]),
      });
    }
  });
  return rows;
}

function questionOf({ oracle, strike, volatility, endsAtMs, atMs }: RoundView): UpQuestion | null {
  if (oracle === null || strike === null || volatility === null) return null;
  return {
    price: oracle.value,
    strike: strike.price,
    volatility,
    secondsLeft: (endsAtMs - atMs) / 1_000,
  };
}
