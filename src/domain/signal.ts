import type { AgentId, Asset, MarketId } from './ids.ts';
import type { Decision, StrategyId } from './agent.ts';
import type { BookTop } from './book.ts';
import type { Market, OutcomeIndex } from './market.ts';
import type { AssetPriceE8 } from './units.ts';

/** A value with the moment it speaks of (source time) and the moment we got it. */
export interface Observed<T> {
  readonly value: T;
  readonly sourceAtMs: number;
  readonly receivedAtMs: number;
}

/** The inference network's prediction of a price (feeds.md section 1). */
export interface Prediction {
  readonly topicId: number;
  readonly price: AssetPriceE8;
  /** Values at 2.28, 15.87, 50, 84.13 and 97.72 percent. */
  readonly interval: readonly [
    AssetPriceE8,
    AssetPriceE8,
    AssetPriceE8,
    AssetPriceE8,
    AssetPriceE8,
  ];
}

/** All that is known about one round at one moment. Null means absent or stale (L8). */
export interface RoundView {
  readonly market: Market;
  readonly asset: Asset;
  readonly minutes: 5 | 15;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly atMs: number;
  /** Settlement-aligned oracle price. */
  readonly oracle: Observed<AssetPriceE8> | null;
  readonly exchange: Observed<AssetPriceE8> | null;
  /**
   * True while both are there and contradict each other, for which both are absent; absent itself
   * otherwise.
   */
  readonly areFeedsApart?: boolean;
  /** Exchange price at the start of the window. */
  readonly exchangeAtStart: AssetPriceE8 | null;
  readonly prediction: Observed<Prediction> | null;
  /** Price to beat: our own capture of the settlement feed, else the venue's word. */
  readonly strike: { readonly price: AssetPriceE8; readonly source: 'captured' | 'venue' } | null;
  /** Standard deviation of log returns per square root of a second. */
  readonly volatility: number | null;
  /** Trusted tops of the Up and the Down book. */
  readonly books: readonly [Observed<BookTop> | null, Observed<BookTop> | null];
}

/** What strategies read of a view, and what a receipt keeps of it to decide by again. */
export type JudgedView = Omit<RoundView, 'market'> & {
  readonly market: Pick<Market, 'fee'>;
};

/** Returns what strategies read of a view. */
export function judgedView({ market: { fee }, ...view }: RoundView): JudgedView {
  return { ...view, market: { fee } };
}

/** An unbroken stretch of views in which a strategy's conditions held for one direction. */
export interface HeldRun {
  readonly direction: OutcomeIndex;
  /** First and newest view of the stretch, epoch ms. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * A strategy's verdict on a round, published only when it changes: agents hear transitions, not
 * ticks.
 */
export interface SignalTransition {
  /** `strategy` and thresholds that were judged; agents with the same ones share it. */
  readonly groupKey: string;
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  readonly marketId: MarketId;
  readonly view: RoundView;
  readonly decision: Decision;
  /** What its judge remembered when it saw the view; absent where nothing. */
  readonly memory?: HeldRun;
}
