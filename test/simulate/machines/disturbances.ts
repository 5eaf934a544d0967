import type { Random } from '../../../src/ports/random.ts';

/** Something that happens to the machine that owns the log, or to the database that keeps it. */
export interface Disturbance {
  readonly what:
    | 'pause'
    | 'cut-off'
    | 'hand-over'
    | 'kill'
    | 'machine-lost'
    /** The database answers no statement. */
    | 'database-down'
    /** The next append is answered with the warning that no standby has it. */
    | 'append-doubted';
  /**
   * How long a process is paused or cut off, the database down, or a machine away until its next
   * process.
   */
  readonly lastsMs: number;
  /** Happens once so many appends were carried out, before the last is answered; 0 for at once. */
  readonly appends: number;
  /** Of a machine that is lost: its folder too. Of a doubted append: it was not added. */
  readonly isAllLost: boolean;
}

/** A disturbance and its moment, ms after the beginning. */
export interface PlannedDisturbance {
  readonly afterMs: number;
  readonly disturbs: Disturbance;
}

/**
 * As long as a lease and little more, half the time: what an order may be late by has not passed
 * when a replaced owner goes on. Else anything up to several leases.
 */
const REPLACED_MS = { leastMs: 3_000, jitterMs: 1_500 };
const STOPPED_MS = 12_000;
const AWAY_MS = 30_000;
const DATABASE_DOWN_MS = 20_000;
const APPENDS_MAXIMUM = 12;

/** Draws what happens to machines: half of it inside an append. */
export function drawDisturbance(random: Random): Disturbance {
  const lot = random.integer(12);
  const appends = random.integer(2) === 0 ? 0 : 1 + random.integer(APPENDS_MAXIMUM);
  const stopped =
    random.integer(2) === 0
      ? REPLACED_MS.leastMs + random.integer(REPLACED_MS.jitterMs)
      : 200 + random.integer(STOPPED_MS);
  const away = 1_000 + random.integer(AWAY_MS);
  const isAllLost = random.integer(2) === 0;
  if (lot < 3) return { what: 'pause', lastsMs: stopped, appends, isAllLost: false };
  if (lot < 6) return { what: 'cut-off', lastsMs: stopped, appends, isAllLost: false };
  if (lot === 6) return { what: 'hand-over', lastsMs: away, appends: 0, isAllLost: false };
  if (lot < 9) return { what: 'kill', lastsMs: away, appends, isAllLost: false };
  if (lot === 9) return { what: 'machine-lost', lastsMs: away, appends, isAllLost };
  if (lot === 10)
    return {
      what: 'database-down',
      lastsMs: 200 + random.integer(DATABASE_DOWN_MS),
      appends: 0,
      isAllLost: false,
    };
  return { what: 'append-doubted', lastsMs: 0, appends: 0, isAllLost };
}
