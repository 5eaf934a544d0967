import { EQUITY } from '../../../config/limits/portfolio.ts';
import { CASH_ACCOUNTS } from '../../domain/cash.ts';
import type { BookTop } from '../../domain/book.ts';
import type { MarketId, TokenId, UserId, VenueId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { mulDiv, TICKS_PER_USD, type PriceTicks } from '../../domain/units.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import { balanceOf } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { OPEN_POSITIONS, POSITIONS, RESOLUTIONS, TRADED_MARKETS } from '../books/tables.ts';
import { venueResultsOf } from '../books/venue-results.ts';
import {
  newestSample,
  putSample,
  readEquity,
  type EquityHistory,
  type EquityQuery,
} from './equity-history.ts';
import type { EquitySample, Unvalued } from './tables.ts';

/**
 * Keeps what users had by time. A round every `EQUITY.sampleMs` takes those who hold a position,
 * and those whose cash has changed since: in an idle service none.
 */
export interface EquitySamples {
  /** Begins with the next full step of the market clock. */
  start(): void;
  /** One round; resolves when its samples are durable. */
  round(): Promise<void>;
  /** The history of a user. Whoever looks, and has no newest sample, is taken in the next round. */
  read(userId: UserId, query: EquityQuery): EquityHistory;
  stop(): void;
}

/** Best bid and ask of a token where its book is followed and trusted, else null. */
type TopOf = (venue: VenueId, tokenId: TokenId) => BookTop | null;
/** Best bid, asked for at the venue; null without bids. Errors: the venue's. */
type AskBid = (venue: VenueId, tokenId: TokenId) => Promise<PriceTicks | null>;

/** Creates it; nothing runs before `start`. */
export function createEquitySamples(
  deps: Pick<Runtime, 'store' | 'commit' | 'log'> & {
    readonly bus: Pick<Bus, 'subscribe'>;
    /** Market time. */
    readonly clock: Clock;
    readonly topOf: TopOf;
    readonly askBid: AskBid;
  },
): EquitySamples {
  const { store, commit, log, bus, clock, topOf, askBid } = deps;
  const changed = new Set<UserId>();
  let timer: Timer | null = null;
  const life = { isStopped: false };
  /** Of the round that runs. */
  let held: Held | null = null;
  const stopListening = bus.subscribe(({ event }) => {
    if (event.type === 'ledger.posted') mark(event.userId);
    // what is bought while a round looks around is a part of what it finds
    if (event.type === 'position.changed') held?.add(event.position);
  });

  function mark(userId: UserId): void {
    if (changed.size < EQUITY.changedMaximum) changed.add(userId);
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => void clock.after(0, resolve));
  }

  async function round(): Promise<void> {
    const found = createHeld(store);
    held = found;
    const prices = createPrices(store, topOf, askBid);
    for (
      let page = store.range(OPEN_POSITIONS, { limit: EQUITY.positionsAtOnce });
      page.length > 0 && !life.isStopped;
      page = store.range(OPEN_POSITIONS, {
        after: page.at(-1)?.key ?? [],
        limit: EQUITY.positionsAtOnce,
      })
    ) {
      for (const { key } of page) {
        const position = store.get(POSITIONS, [key[1] ?? '', key[2] ?? ''])?.value;
        if (position === undefined || position.shares <= 0) continue;
        found.add(position);
        await prices.read(position);
      }
      await pause();
    }
    // what a restore did not bring back would stay in the history as a loss
    const users = [...new Set([...found.users(), ...changed])].filter(
      (userId) => !isLacking(store, userId),
    );
    changed.clear();
    for (let from = 0; from < users.length && !life.isStopped; from += EQUITY.usersAtOnce) {
      const atMs = clock.nowMs();
      await commit((tx) => {
        for (const userId of users.slice(from, from + EQUITY.usersAtOnce))
          putSample(tx, userId, sampleOf(store, prices, { userId, atMs, held: found.now(userId) }));
      });
    }
    held = null;
  }

  function later(): void {
    if (life.isStopped) return;
    timer = clock.after(EQUITY.sampleMs - (clock.nowMs() % EQUITY.sampleMs), () => {
      round()
        .catch((cause: unknown) => log.error({ cause }, 'equity.round_failed'))
        .finally(later);
    });
  }

  return {
    start: later,
    round,
    read(userId, query) {
      if (newestSample(store, userId)?.cashUsdc !== cashOf(store, userId)) mark(userId);
      return readEquity(store, userId, { ...query, nowMs: clock.nowMs() });
    },
    stop() {
      life.isStopped = true;
      timer?.cancel();
      stopListening();
    },
  };
}

/** Positions that a round has found. */
interface Held {
  add(position: PositionRecord): void;
  users(): Iterable<UserId>;
  /**
   * Those of a user that still hold shares, as they are at this moment: prices take a while, and
   * what was sold or ended meanwhile is in the cash already.
   */
  now(userId: UserId): readonly PositionRecord[];
}

function createHeld(store: Store): Held {
  const tokens = new Map<UserId, Set<TokenId>>();
  return {
    add({ userId, tokenId }) {
      const known = tokens.get(userId);
      if (known === undefined) tokens.set(userId, new Set([tokenId]));
      else known.add(tokenId);
    },
    users: () => tokens.keys(),
    now: (userId) =>
      [...(tokens.get(userId) ?? [])].flatMap((tokenId) => {
        const position = store.get(POSITIONS, [userId, tokenId])?.value;
        return position === undefined || position.shares <= 0 ? [] : [position];
      }),
  };
}

/** Prices of one round, each looked up once. */
interface Prices {
  read(position: PositionRecord): Promise<void>;
  /** Ticks a share; null where there is no price. */
  of(position: PositionRecord): number | null;
}

/** What a share is worth: what its market pays once it has ended, else the best bid. */
function createPrices(store: Store, topOf: TopOf, askBid: AskBid): Prices {
  const prices = new Map<TokenId, number | null>();
  let asked = 0;

  /** A venue that does not answer leaves its positions without a price, and the rest is kept. */
  async function bid(venue: VenueId, tokenId: TokenId): Promise<PriceTicks | null> {
    const top = topOf(venue, tokenId);
    if (top !== null) return top.bid?.price ?? null;
    asked += 1;
    return asked > EQUITY.asksPerRound ? null : askBid(venue, tokenId).catch(() => null);
  }

  const paid = ({ marketId, outcome }: PositionRecord): number | null =>
    store.get(RESOLUTIONS, [marketId])?.value.payoutTicks[outcome] ?? null;

  return {
    // it may have ended since
    of: (position) => paid(position) ?? prices.get(position.tokenId) ?? null,
    async read(position) {
      const { tokenId, marketId } = position;
      if (prices.has(tokenId) || paid(position) !== null) return;
      const venue = venueOf(store, marketId);
      prices.set(tokenId, venue === null ? null : await bid(venue, tokenId));
    },
  };
}

function sampleOf(
  store: Store,
  prices: Prices,
  {
    userId,
    atMs,
    held,
  }: {
    readonly userId: UserId;
    readonly atMs: number;
    readonly held: readonly PositionRecord[];
  },
): EquitySample {
  let positionsUsdc = 0;
  const unvalued = new Map<VenueId | null, Unvalued>();
  for (const position of held) {
    const { marketId, shares, costUsdc } = position;
    const ticks = prices.of(position);
    if (ticks !== null) positionsUsdc += mulDiv(shares, ticks, TICKS_PER_USD, 'floor');
    else {
      const venue = venueOf(store, marketId);
      const known = unvalued.get(venue) ?? { venue, positions: 0, costUsdc: 0 };
      unvalued.set(venue, {
        venue,
        positions: known.positions + 1,
        costUsdc: known.costUsdc + costUsdc,
      });
    }
  }
  const cashUsdc = cashOf(store, userId);
  const costUsdc = held.reduce((sum, position) => sum + position.costUsdc, 0);
  return {
    atMs,
    cashUsdc,
    positionsUsdc,
    openPositions: held.length,
    unvalued: [...unvalued.values()],
    broughtInUsdc: cashUsdc + costUsdc - realisedOf(store, userId),
  };
}

/** With trades that are not final yet, as the shares that they bring and take count already. */
function cashOf(store: Store, userId: UserId): number {
  return CASH_ACCOUNTS.reduce((sum, account) => {
    const { settled, provisional } = balanceOf(store, userId, account);
    return sum + settled + provisional;
  }, 0);
}

/** Profit less loss of all sales and ends so far, fees taken off. */
function realisedOf(store: Store, userId: UserId): number {
  return Object.values(venueResultsOf(store, userId)).reduce(
    (sum, result) => sum + (result?.realisedUsdc ?? 0),
    0,
  );
}

function venueOf(store: Store, marketId: MarketId): VenueId | null {
  return store.get(TRADED_MARKETS, [marketId])?.value.venue ?? null;
}
