import { READY } from '../../config/limits/figures.ts';
import { cashAccountRow, type CashAccount } from '../domain/cash.ts';
import type { VenueId } from '../domain/ids.ts';
import type { Readiness } from '../http/services.ts';
import type { Store } from '../ports/store.ts';
import { accessProblem } from '../services/orders/access-gate.ts';
import { stopKey } from '../services/orders/stop-check.ts';
import { STOPS } from '../services/books/tables.ts';
import type { StoppedQueue } from '../services/transactions/transactions.ts';
import type { ChainHealth } from './chain-health.ts';
import type { Core } from './core.ts';
import type { CountedStore } from './counted-store.ts';

const ALL_TRADING = stopKey({ kind: 'all' });

export interface ReadinessDeps {
  readonly store: CountedStore;
  /** Of which queues may stand still. */
  readonly transactions: { stopped(): readonly StoppedQueue[] };
  readonly chainHealth: Pick<ChainHealth, 'problems'>;
  /** Ms since a feed has answered; 0 without feeds. */
  readonly feedsSilentMs: () => number;
  readonly core: {
    readonly closedVenues: Core['closedVenues'];
    readonly venues: readonly {
      readonly venue: { readonly id: VenueId; readonly cashAccount: CashAccount };
      readonly books: Pick<Core['venues'][number]['books'], 'all'>;
    }[];
  };
}

/**
 * Says whether the daemon can do its work: the store answers and keeps changes, trading is not
 * stopped, a feed answers where it reads from feeds, and a venue is open, takes orders and has
 * books most of which are trusted. A venue with
 * a problem is named; while another one is well the daemon is ready. Queues of transactions that
 * stand still are named too; everything else goes on.
 */
export function createReadiness({
  store,
  core,
  chainHealth,
  feedsSilentMs,
  transactions,
}: ReadinessDeps): () => Readiness {
  const ids = [
    ...core.venues.map(({ venue }) => venue.id),
    ...core.closedVenues.map(({ id }) => id),
  ];
  return () => {
    const needed = [
      check('store', () => storeProblem(store)),
      check('trading', () => tradingStopped(store)),
    ];
    const problems = new Map<VenueId, string>();
    const venues = [
      check('venue', () => reported(problems, accessProblems(store, core))),
      check('books', () => reported(problems, booksInDoubt(core))),
      check('chains', () => lostChains(problems, chainHealth, core)),
      check('feeds', () => feedsLost(problems, feedsSilentMs(), ids)),
    ];
    const queues = check('transactions', () => standing(transactions.stopped()));
    const isServed = ids.some((id) => !problems.has(id));
    return {
      ready: isServed && needed.every(({ ok }) => ok),
      checks: [...needed, ...venues, queues],
    };
  };
}

function check(name: string, fault: () => string | null): Readiness['checks'][number] {
  try {
    const detail = fault();
    return { name, ok: detail === null, detail };
  } catch (cause) {
    return { name, ok: false, detail: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** A venue and what is wrong with it. */
type VenueProblem = readonly [VenueId, string];

/** Notes which venues have a problem; gives the sentence, null without one. */
function reported(problems: Map<VenueId, string>, found: readonly VenueProblem[]): string | null {
  for (const [venue, sentence] of found) problems.set(venue, sentence);
  return found.length === 0 ? null : found.map(([, sentence]) => sentence).join('; ');
}

/** A store that does not answer throws, whatever it is asked. */
function storeProblem(store: ReadinessDeps['store']): string | null {
  store.get(STOPS, ALL_TRADING);
  const cause = store.unstored();
  return cause === null ? null : `changes cannot be stored: ${cause}`;
}

function standing(queues: readonly StoppedQueue[]): string | null {
  const [first] = queues;
  return first === undefined
    ? null
    : `${queues.length} queues of transactions stand still: ${first.transactionId} on chain ${first.chain} is of the unknown kind "${first.kind}"`;
}

function tradingStopped(store: Store): string | null {
  return store.get(STOPS, ALL_TRADING)?.value.stopped === true
    ? 'buying is stopped for everybody'
    : null;
}

function accessProblems(store: Store, core: ReadinessDeps['core']): readonly VenueProblem[] {
  return [
    ...core.closedVenues.map(
      ({ id, reason }): VenueProblem => [id, `${id} could not be opened: ${reason}`],
    ),
    ...core.venues
      .map(({ venue: { id } }) => id)
      .filter((id) => accessProblem(store, id, 0) !== null)
      .map((id): VenueProblem => [id, `${id} takes no orders from where this service runs`]),
  ];
}

/**
 * A problem of a chain is one of the venues whose money is on it; other chains are named all the
 * same.
 */
function lostChains(
  problems: Map<VenueId, string>,
  chains: ReadinessDeps['chainHealth'],
  { venues }: ReadinessDeps['core'],
): string | null {
  const lost = chains.problems();
  for (const { chain, sentence } of lost)
    for (const { venue } of venues)
      if (cashAccountRow(venue.cashAccount).chain === chain) problems.set(venue.id, sentence);
  return lost.length === 0 ? null : lost.map(({ sentence }) => sentence).join('; ');
}

/** Without feeds no venue has books, and no agent prices. */
function feedsLost(
  problems: Map<VenueId, string>,
  silentMs: number,
  venues: readonly VenueId[],
): string | null {
  if (silentMs < READY.feedsSilentMs) return null;
  const sentence = `no feed has answered for ${Math.round(silentMs / 1_000)} s`;
  for (const venue of venues) problems.set(venue, sentence);
  return sentence;
}

function booksInDoubt({ venues }: ReadinessDeps['core']): readonly VenueProblem[] {
  return venues.flatMap(({ venue: { id }, books }): readonly VenueProblem[] => {
    const all = books.all();
    const trusted = all.filter((book) => book.distrust() === null).length;
    return trusted < all.length * READY.trustedLeastShare
      ? [[id, `${trusted} of ${all.length} books of ${id} are trusted`]]
      : [];
  });
}
