import { AGENT_PROFILES } from '../../domain/agent.ts';
import { Subject } from 'rxjs';
import { volatilityFrom } from '../../../streams/volatility.ts';
import { RESEARCH } from '../../../config/limits/research.ts';
import { asId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Observed, RoundView } from '../../domain/signal.ts';
import { withoutStale } from '../../domain/strategy/inputs.ts';
import { priceTicks, shareMicros, type AssetPriceE8 } from '../../domain/units.ts';
import { viewLimits } from '../../services/agents/advise.ts';
import type { Quotes, RecordedSeries, SeriesEvent, SeriesRound } from './series.ts';

/** A round as it was known at one moment, without a prediction, and the quotes of that moment. */
export interface Moment {
  readonly round: SeriesRound;
  readonly view: RoundView;
  readonly quotes: Quotes | null;
}

/** What is known so far. */
interface Known {
  oracle: Observed<AssetPriceE8> | null;
  exchange: Observed<AssetPriceE8> | null;
  volatility: number | null;
  readonly openings: Map<string, Extract<SeriesEvent, { readonly kind: 'opening' }>>;
  readonly quotes: Map<string, Extract<SeriesEvent, { readonly kind: 'quotes' }>>;
}

/**
 * Plays a series: after all that became known at one moment, tells the view of the round that is
 * open then, with the limits of age that agents use and the volatility of the very stream they
 * read. Nothing later than the moment can enter a view.
 */
export function playSeries(
  { rounds, events }: RecordedSeries,
  tell: (moment: Moment) => void,
): void {
  const known: Known = {
    oracle: null,
    exchange: null,
    volatility: null,
    openings: new Map(),
    quotes: new Map(),
  };
  const exchangePrices = new Subject<Observed<AssetPriceE8> | null>();
  const reading = volatilityFrom(exchangePrices).subscribe((value) => (known.volatility = value));
  const open = openRounds(rounds);
  events.forEach((event, index) => {
    take(known, event, exchangePrices);
    if (events[index + 1]?.atMs === event.atMs) return;
    for (const round of open(event.atMs))
      tell({
        round,
        view: viewOf(round, known, event.atMs),
        quotes: known.quotes.get(round.slug)?.quotes ?? null,
      });
  });
  reading.unsubscribe();
}

function take(
  known: Known,
  event: SeriesEvent,
  exchangePrices: Subject<Observed<AssetPriceE8> | null>,
): void {
  switch (event.kind) {
    case 'oracle':
      known.oracle = observed(event);
      return;
    case 'exchange':
      known.exchange = observed(event);
      exchangePrices.next(known.exchange);
      return;
    case 'opening':
      known.openings.set(event.slug, event);
      return;
    case 'quotes':
      known.quotes.set(event.slug, event);
  }
}

function observed({
  price,
  sourceAtMs,
  atMs,
}: Extract<SeriesEvent, { readonly kind: 'oracle' | 'exchange' }>): Observed<AssetPriceE8> {
  return { value: price, sourceAtMs, receivedAtMs: atMs };
}

/** Gives the rounds open at a moment; moments are asked in order. */
function openRounds(rounds: readonly SeriesRound[]): (atMs: number) => readonly SeriesRound[] {
  const sorted = rounds.toSorted((a, b) => a.startsAtMs - b.startsAtMs);
  let first = 0;
  return (atMs) => {
    while ((sorted[first]?.endsAtMs ?? Infinity) <= atMs) first += 1;
    let last = first;
    while ((sorted[last]?.startsAtMs ?? Infinity) <= atMs) last += 1;
    return sorted.slice(first, last).filter(({ endsAtMs }) => endsAtMs > atMs);
  };
}

function viewOf(round: SeriesRound, known: Known, atMs: number): RoundView {
  const opening = known.openings.get(round.slug) ?? null;
  const quoted = known.quotes.get(round.slug);
  const top = (index: 0 | 1): RoundView['books'][0] =>
    quoted === undefined
      ? null
      : { value: quoted.quotes.tops[index], sourceAtMs: quoted.atMs, receivedAtMs: quoted.atMs };
  const view: RoundView = {
    market: marketOf(round),
    asset: round.asset,
    minutes: round.minutes,
    startsAtMs: round.startsAtMs,
    endsAtMs: round.endsAtMs,
    atMs,
    oracle: known.oracle,
    exchange: known.exchange,
    exchangeAtStart: opening?.exchange ?? null,
    prediction: null,
    strike: opening === null ? null : { price: opening.strike, source: 'captured' },
    volatility: known.volatility,
    books: [top(0), top(1)],
  };
  return withoutStale(view, atMs, viewLimits({}));
}

/** The round as a market: strategies read its fee and its window. */
function marketOf({ slug, asset, minutes, startsAtMs, endsAtMs }: SeriesRound): Market {
  return {
    venue: AGENT_PROFILES.btc_5min.venue,
    marketId: asId(slug),
    listingId: slug,
    eventId: slug,
    slug,
    question: slug,
    outcomes: [
      { tokenId: asId(`${slug}:0`), label: 'Up' },
      { tokenId: asId(`${slug}:1`), label: 'Down' },
    ],
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    fee: { rateMicros: RESEARCH.feeRateMicros, exponent: RESEARCH.feeExponent, takerOnly: true },
    takerDelay: false,
    acceptingOrders: true,
    closed: false,
    window: { asset, minutes, startsAtMs, endsAtMs, strike: null, twap: false },
    endsAtMs,
    volumeUsd: 0,
    liquidityUsd: null,
  };
}
