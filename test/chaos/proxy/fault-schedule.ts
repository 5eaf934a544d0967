import { createHash } from 'node:crypto';

/** What a proxy can do to what passes through it. */
export const FAULTS = [
  'drop',
  'delay',
  'duplicate',
  'reorder',
  'truncate',
  'reset',
  'stall',
] as const;
/** One of them. */
export type Fault = (typeof FAULTS)[number];
/** Towards the server, or back from it. */
export type Way = 'there' | 'back';
/** What passes: a whole HTTP request or answer, or a whole WebSocket frame. */
export type Carries = 'request' | 'answer' | 'frame';

/** One thing that passes, named so that the same seed does the same to it again. */
export interface Unit {
  /** Name of the proxy. */
  readonly link: string;
  /**
   * Connections of the link are numbered from 1 in order of arrival, units of a connection from 1
   * for each kind and way.
   */
  readonly connection: number;
  readonly number: number;
  readonly way: Way;
  readonly carries: Carries;
}

/** What becomes of a unit. */
export interface Blow {
  readonly fault: Fault;
  /** How long a delay is, ms. */
  readonly delayMs: number;
  /**
   * A second, independent piece of chance, 0 to 1: where a unit is cut, which of two answers is
   * heard.
   */
  readonly share: number;
}

/** Decides what becomes of what passes. */
export interface FaultSchedule {
  /** Null lets the unit through. */
  blowAt(unit: Unit): Blow | null;
}

/** Chance of each fault for one unit, in millionths. */
export type Chances = Readonly<Record<Carries, Readonly<Record<Fault, number>>>>;

/**
 * About one HTTP call in eight meets something on one of its ways. Frames are many and connections
 * live long, so what ends a connection is rarer there.
 */
export const LOAD: Chances = {
  request: {
    drop: 8_000,
    delay: 15_000,
    duplicate: 15_000,
    reorder: 15_000,
    truncate: 4_000,
    reset: 8_000,
    stall: 3_000,
  },
  answer: {
    drop: 8_000,
    delay: 15_000,
    duplicate: 0,
    reorder: 10_000,
    truncate: 5_000,
    reset: 8_000,
    stall: 3_000,
  },
  frame: {
    drop: 10_000,
    delay: 15_000,
    duplicate: 15_000,
    reorder: 15_000,
    truncate: 1_000,
    reset: 2_000,
    stall: 300,
  },
};

/**
 * Delays are mostly short; one in eight is longer than any caller waits, so that what was given up
 * still arrives.
 */
const SHORT_DELAY_MS = 800;
const LONG_DELAY_MS = { from: 5_000, to: 9_000 } as const;
const LONG_SHARE = 1 / 8;
const MILLION = 1_000_000;

/** Fair: nothing happens. */
export const CALM: FaultSchedule = { blowAt: () => null };

/**
 * Weather drawn from a seed: the same unit meets the same fault, whatever else passes and whenever.
 */
export function createFaultSchedule(seed: string, chances: Chances = LOAD): FaultSchedule {
  return {
    blowAt({ link, connection, number, way, carries }) {
      const drawn = createHash('sha256')
        .update(`${seed} ${link} ${connection} ${number} ${way} ${carries}`)
        .digest();
      const part = (index: number): number => drawn.readUInt32BE(index * 4) / 2 ** 32;
      const fault = faultAt(part(0) * MILLION, chances[carries]);
      return fault === null ? null : { fault, delayMs: delayOf(part(1), part(2)), share: part(3) };
    },
  };
}

function faultAt(drawn: number, chances: Readonly<Record<Fault, number>>): Fault | null {
  let below = 0;
  for (const fault of FAULTS) {
    below += chances[fault];
    if (drawn < below) return fault;
  }
  return null;
}

function delayOf(length: number, kind: number): number {
  return Math.ceil(
    kind < LONG_SHARE
      ? LONG_DELAY_MS.from + length * (LONG_DELAY_MS.to - LONG_DELAY_MS.from)
      : 1 + length * SHORT_DELAY_MS,
  );
}
