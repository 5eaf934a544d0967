import { combineLatest, distinctUntilChanged, map, startWith, tap, type Observable } from 'rxjs';
import { FEEDS } from '../config/limits/market-data.ts';
import { findStrike, type StrikeFinding } from '../src/domain/strike.ts';
import type { AssetPriceE8 } from '../src/domain/units.ts';

/** Where a round's price to beat may come from. */
export interface StrikeSources {
  /** Our own capture of the settlement feed, once. */
  readonly captured: Observable<AssetPriceE8>;
  /** What the venue states, as often as it does; null while it states nothing. */
  readonly stated: Observable<AssetPriceE8 | null>;
  /** Called once per contradiction: for the log and the alert. */
  readonly onContradiction: (finding: Extract<StrikeFinding, { kind: 'contradiction' }>) => void;
}

/** Gives what is known of the price to beat, beginning with nothing (survival.md, late-strike). */
export function strikeOf({
  captured,
  stated,
  onContradiction,
}: StrikeSources): Observable<StrikeFinding> {
  return combineLatest([
    captured.pipe(startWith(null)),
    stated.pipe(startWith(null), distinctUntilChanged()),
  ]).pipe(
    map(([capturedPrice, statedPrice]) =>
      findStrike({
        captured: capturedPrice,
        stated: statedPrice,
        toleranceE8: FEEDS.strikeToleranceE8,
      }),
    ),
    distinctUntilChanged((a, b) => JSON.stringify(a) === JSON.stringify(b)),
    tap((finding) => {
      if (finding.kind === 'contradiction') onContradiction(finding);
    }),
  );
}
