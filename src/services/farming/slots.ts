import { FARMING } from '../../../config/limits/farming.ts';
import { STALENESS } from '../../../config/limits/market-data.ts';
import type { Decision, DecisionInput } from '../../domain/agent.ts';
import type { BookTop } from '../../domain/book.ts';
import { AppError } from '../../domain/errors.ts';
import type { Assessment } from '../../domain/farming/assessment.ts';
import { judgeFarmEntry, type FarmView } from '../../domain/farming/entry.ts';
import { ENDS_NO_SOONER_MS, figureWords } from '../../domain/farming/screen.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Observed } from '../../domain/signal.ts';
import { formatMicros, formatPrice } from '../../domain/units.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Assessments } from './assessments.ts';
import type { FarmCandidate } from './candidates.ts';
import type { FarmQuotes, FarmSource } from './farm-source.ts';

/** A change of mind about a candidate in a slot. */
interface FarmTransition extends Pick<FarmVenue, 'filters' | 'strictFilters'> {
  readonly view: FarmView;
  readonly decision: Decision;
}

/**
 * A few candidates at a time, watched and judged for all agents together; each gives its slot to
 * the next one.
 */
export interface Slots {
  /**
   * Fills free slots from the candidates and judges those that are taken. Called every
   * FARMING.checkIntervalMs.
   */
  update(candidates: readonly FarmCandidate[]): void;
  /** A candidate in a slot as it is now; null for a market that has none. */
  view(marketId: MarketId): FarmView | null;
  /** Those whose last verdict was to enter, for agents that come late. */
  entering(): readonly FarmView[];
  clear(): void;
}

interface Slot {
  candidate: FarmCandidate;
  /** As the venue has it now; null until it has answered. */
  market: Market | null;
  assessment: Assessment | null;
  /** When the slot's time began: at its assessment, and again when no candidate waits for it. */
  sinceMs: number;
  readonly takenAtMs: number;
  verdict: string | null;
  isEntering: boolean;
  release: () => void;
}

/** Makes the slots. */
export function createSlots({
  venue,
  source,
  assessments,
  clock,
  log,
  onTransition,
}: Pick<Runtime, 'clock' | 'log'> & {
  /** What is looked for now. */
  readonly venue: () => FarmVenue;
  readonly source: Pick<FarmSource, 'quotes' | 'market'>;
  readonly assessments: Assessments;
  readonly onTransition: (transition: FarmTransition) => void;
}): Slots {
  const slots = new Map<MarketId, Slot>();
  /** Markets that have sat since everybody last had a turn. */
  const served = new Set<MarketId>();
  /**
   * Candidates of which the venue itself says that they take no orders: they do not sit again until
   * a scan has left them out.
   */
  const over = new Set<MarketId>();

  function take(candidate: FarmCandidate): void {
    const { marketId } = candidate.listing.market;
    const nowMs = clock.nowMs();
    const slot: Slot = {
      candidate,
      market: null,
      assessment: null,
      sinceMs: nowMs,
      takenAtMs: nowMs,
      verdict: null,
      isEntering: false,
      release: () => undefined,
    };
    slots.set(marketId, slot);
    served.add(marketId);
    void settle(slot, marketId);
  }

  /** Asks what the venue says of the market now and what the assessor thinks, at once. */
  async function settle(slot: Slot, marketId: MarketId): Promise<void> {
    const assessment = assessments.of(slot.candidate);
    try {
      const market = await source.market(marketId);
      if (slots.get(marketId) !== slot) return;
      if (market === null || market.closed || !market.acceptingOrders) {
        over.add(marketId);
        return leave(marketId);
      }
      slot.market = market;
      slot.release = source.quotes.watch(market);
    } catch (error) {
      if (error instanceof AppError)
        log.info({ marketId, code: error.code }, 'farming.market_unknown');
      else log.error({ marketId, error }, 'farming.market_unknown');
      if (slots.get(marketId) === slot) leave(marketId);
    }
    const verdict = await assessment;
    if (slots.get(marketId) !== slot) return;
    slot.assessment = verdict;
    slot.sinceMs = clock.nowMs();
  }

  function leave(marketId: MarketId): void {
    slots.get(marketId)?.release();
    slots.delete(marketId);
  }

  function viewOf({ candidate, market, assessment }: Slot, nowMs: number): FarmView | null {
    if (market === null) return null;
    const { listing, outcome, listedAtMs } = candidate;
    // Volume and liquidity are the scan's: they are what was screened, with the age the receipt
    // shows.
    const { volumeUsd, liquidityUsd } = listing.market;
    return {
      market: { ...market, volumeUsd, liquidityUsd },
      outcome,
      listedAtMs,
      atMs: nowMs,
      book: freshTop(source.quotes, market.outcomes[outcome].tokenId, clock),
      assessment,
    };
  }

  function judge(slot: Slot, nowMs: number, isLast = false): void {
    const view = viewOf(slot, nowMs);
    if (view === null || view.assessment === null) return;
    // A book that is absent for a moment changes no decision (L8); one that never came is reported
    // when the slot is given up.
    slot.isEntering &&= view.book !== null;
    if (view.book === null && !isLast) return;
    const { filters, strictFilters } = venue();
    const decision = judgeFarmEntry({ filters, strictFilters }, view);
    const verdict = `${decision.verdict} ${decision.criteria.find(({ passed }) => !passed)?.name ?? ''}`;
    slot.isEntering = decision.verdict === 'enter';
    if (verdict === slot.verdict) return;
    slot.verdict = verdict;
    onTransition({ view, decision, filters, strictFilters });
  }

  /**
   * Gives up slots whose time is over or whose market is a candidate no more; where no candidate
   * waits, they begin anew.
   */
  function rotate(candidates: ReadonlyMap<MarketId, FarmCandidate>, nowMs: number): void {
    for (const marketId of over) if (!candidates.has(marketId)) over.delete(marketId);
    const areOthersWaiting = [...candidates.keys()].some(
      (marketId) => !slots.has(marketId) && !over.has(marketId),
    );
    for (const [marketId, slot] of slots) {
      const candidate = candidates.get(marketId);
      const isLate = nowMs - slot.takenAtMs >= FARMING.slotLongestMs && slot.assessment === null;
      if (candidate === undefined || isLate) {
        leave(marketId);
        continue;
      }
      slot.candidate = candidate;
      if (slot.assessment === null || nowMs - slot.sinceMs < FARMING.slotMs) continue;
      if (areOthersWaiting) {
        if (slot.verdict === null) judge(slot, nowMs, true);
        leave(marketId);
      } else if (slot.isEntering) {
        // Sits anew, the venue asked again, and is published again: agents whose caps were full may
        // have room now.
        leave(marketId);
        served.delete(marketId);
      }
    }
  }

  function fill(candidates: ReadonlyMap<MarketId, FarmCandidate>): void {
    const waiting = [...candidates.values()].filter(
      ({ listing }) => !slots.has(listing.market.marketId) && !over.has(listing.market.marketId),
    );
    let next = waiting.filter(({ listing }) => !served.has(listing.market.marketId));
    if (next.length === 0 && waiting.length > 0) {
      served.clear();
      next = waiting;
    }
    for (const candidate of next.slice(0, Math.max(0, FARMING.slots - slots.size))) take(candidate);
  }

  return {
    update(list) {
      const nowMs = clock.nowMs();
      const candidates = new Map(
        list
          .filter(({ listing }) => listing.market.endsAtMs - nowMs >= ENDS_NO_SOONER_MS)
          .map((candidate) => [candidate.listing.market.marketId, candidate]),
      );
      rotate(candidates, nowMs);
      fill(candidates);
      for (const slot of slots.values()) judge(slot, nowMs);
    },
    view(marketId) {
      const slot = slots.get(marketId);
      return slot === undefined ? null : viewOf(slot, clock.nowMs());
    },
    entering: () =>
      [...slots.values()]
        .filter(({ isEntering }) => isEntering)
        .flatMap((slot) => viewOf(slot, clock.nowMs()) ?? []),
    clear() {
      for (const marketId of slots.keys()) leave(marketId);
      served.clear();
      over.clear();
    },
  };
}

/** The top of a token's book where it is trusted and fresh (L8). */
export function freshTop(
  quotes: Pick<FarmQuotes, 'top'>,
  tokenId: TokenId,
  clock: Clock,
): Observed<BookTop> | null {
  const top = quotes.top(tokenId);
  return top !== null && clock.nowMs() - top.receivedAtMs <= inWallTime(clock, STALENESS.bookMs)
    ? top
    : null;
}

/** What a candidate was judged by, with ages, for the receipt (L11). */
export function farmInputs(
  { market, outcome, listedAtMs, atMs, book, assessment }: FarmView,
  clock: Clock,
): readonly DecisionInput[] {
  const level = (side: BookTop['bid'], none: string): string =>
    side === null ? none : `${formatPrice(side.price)} x ${formatMicros(side.size)}`;
  return [
    {
      name: 'listing',
      value: figureWords(market),
      ageMs: Math.max(0, atMs - listedAtMs),
      limitMs: FARMING.listingAgeMaximumMs,
    },
    {
      name: `${outcome === 0 ? 'Yes' : 'No'} book`,
      value:
        book === null
          ? null
          : `${level(book.value.bid, 'no bid')} / ${level(book.value.ask, 'no ask')}`,
      ageMs: book === null ? null : Math.max(0, atMs - book.receivedAtMs),
      limitMs: inWallTime(clock, STALENESS.bookMs),
    },
    {
      name: 'risk assessment',
      value: assessment === null ? null : assessment.kind,
      ageMs: assessment === null ? null : 0,
      limitMs: 0,
    },
  ];
}
