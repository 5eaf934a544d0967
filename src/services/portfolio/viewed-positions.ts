import { VIEWED } from '../../../config/limits/portfolio.ts';
import { backOffMs } from '../../domain/back-off.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId, VenueId } from '../../domain/ids.ts';
import type { ViewedPositions as Positions } from '../../domain/viewed-position.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { PositionsView } from '../../ports/positions-view.ts';

/** What is known of a user's positions at one venue. */
export interface ViewedPart {
  readonly venue: VenueId;
  /** The user's EVM wallet. */
  readonly account: Address;
  /**
   * How the last question ended. `slow`: there is no answer yet, or it is old and the next one has
   * not come; `away`: it failed. What was last read is there in each case.
   */
  readonly state: 'ok' | 'slow' | 'away';
  readonly reading: (Positions & { readonly atMs: number }) | null;
}

/** Positions at view-only venues. Venues are asked about users who ask alone. */
export interface ViewedPositions {
  /**
   * What is known now, by venue. It waits for no venue but VIEWED.firstWaitMs at a user's
   * first read; what is due is asked for behind, and shown the next time. Never rejects.
   */
  read(userId: UserId): Promise<readonly ViewedPart[]>;
  /** Gives up what is being asked. */
  stop(): void;
}

/** What is kept of an account at a venue. */
interface Kept {
  reading: ViewedPart['reading'];
  asking: Promise<void> | null;
  /** In a row. */
  failures: number;
  dueAtMs: number;
}

/** Makes the service: one question at a time for each account at each venue. */
export function createViewedPositions({
  views,
  walletOf,
  clock,
  log,
  metrics,
}: Pick<Runtime, 'clock' | 'log' | 'metrics'> & {
  readonly views: readonly PositionsView[];
  /** The EVM wallet. */
  readonly walletOf: (userId: UserId) => Address;
}): ViewedPositions {
  const kept = new BoundedMap<string, Kept>(VIEWED.keptMaximum * views.length);
  const shownAges = new Map<VenueId, number>(views.map(({ id }) => [id, 0]));
  const ending = new AbortController();
  metrics.beforeRead(() => {
    for (const [venue, ageMs] of shownAges) {
      metrics.gauge('view_age_seconds', ageMs / 1_000, { venue });
      shownAges.set(venue, 0);
    }
  });

  async function ask(view: PositionsView, account: Address, entry: Kept): Promise<void> {
    try {
      const found = await view.positions(account, ending.signal);
      entry.reading = { ...found, atMs: clock.nowMs() };
      entry.failures = 0;
      entry.dueAtMs = clock.nowMs() + keptMsOf(found);
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
      entry.dueAtMs = clock.nowMs() + backOffMs(entry.failures, VIEWED.retry);
      entry.failures += 1;
      // once, however long it lasts: the metrics count the rest
      if (entry.failures === 1 && !ending.signal.aborted)
        log.warn({ venue: view.id, cause }, 'view.not_read');
    } finally {
      entry.asking = null;
    }
  }

  async function partAt(view: PositionsView, account: Address): Promise<ViewedPart> {
    const key = `${view.id} ${account}`;
    const entry = kept.get(key) ?? { reading: null, asking: null, failures: 0, dueAtMs: 0 };
    kept.set(key, entry);
    const isDue = entry.asking === null && clock.nowMs() >= entry.dueAtMs;
    if (isDue && !ending.signal.aborted) {
      entry.asking = ask(view, account, entry);
      if (entry.failures === 0 && !isFresh(entry, clock.nowMs())) await soon(entry.asking, clock);
    }
    const ageMs = entry.reading === null ? 0 : clock.nowMs() - entry.reading.atMs;
    shownAges.set(view.id, Math.max(ageMs, shownAges.get(view.id) ?? 0));
    return {
      venue: view.id,
      account,
      state: stateOf(entry, clock.nowMs()),
      reading: entry.reading,
    };
  }

  return {
    read(userId) {
      const account = walletOf(userId);
      return Promise.all(views.map((view) => partAt(view, account)));
    },
    stop: () => ending.abort(),
  };
}

function keptMsOf({ positions }: Positions): number {
  return positions.length === 0 ? VIEWED.emptyKeptMs : VIEWED.keptMs;
}

/** Reports whether what was last read may be shown as what there is now. */
function isFresh({ reading }: Kept, nowMs: number): boolean {
  return reading !== null && nowMs < reading.atMs + keptMsOf(reading) + VIEWED.graceMs;
}

function stateOf(entry: Kept, nowMs: number): ViewedPart['state'] {
  if (entry.failures > 0) return 'away';
  return isFresh(entry, nowMs) ? 'ok' : 'slow';
}

/** Waits for a question, and not long. */
function soon(asking: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(VIEWED.firstWaitMs, resolve);
    void asking.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
