import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SANDBOX_TIME } from '../../config/limits/store.ts';
import { marketTimeOf, type ClockRun } from '../adapters/clock/market-runs.ts';
import { AppError } from '../domain/errors.ts';
import type { MarketTime } from '../ports/market-time.ts';
import { replaceFile } from './storage.ts';

/** The anchor of a scaled clock in this run. */
export type ClockAnchor = ClockRun;

/**
 * Sandbox time never falls, also after a kill, because the file holds a time not yet reached.
 * Faster than the wall's it stops while the daemon is off.
 */
export interface SandboxTime {
  readonly anchor: ClockAnchor;
  /** How it and the wall's go together, exactly, over this run and those before it. */
  readonly marketTime: MarketTime;
  /** Moves the reserved time on; called every `RESERVE_EVERY_MS` of wall time. */
  reserve(nowMs: number): void;
  /** Stops exactly here; called on a clean end. */
  stop(nowMs: number): void;
}

/** Wall time between two reservations. */
const RESERVE_EVERY_MS = 2_000;

const QUARTER_MS = 15 * 60_000;
/** Time for the first start to sign its user in and to list the markets. */
const LEAD_MS = 100_000;

/**
 * Opens the sandbox's own time, kept in the data folder. At a scale of 1 it is the wall clock's,
 * exactly: nothing is reserved, and it does not stand still. Errors: `store_corrupt` when the file
 * is not readable, `config_invalid` when the folder's time lies ahead of a wall it is to follow.
 */
export function openSandboxTime(folder: string, scale: number, wallMs: number): SandboxTime {
  const file = join(folder, 'sandbox-time.json');
  const reservedMs = existsSync(file) ? readReserved(file) : null;
  const isWall = scale === 1;
  if (isWall && reservedMs !== null && reservedMs > wallMs)
    throw aheadOfWall(folder, reservedMs, wallMs);
  const anchor = {
    anchorWallMs: wallMs,
    anchorMs: isWall ? wallMs : (reservedMs ?? firstMoment(wallMs)),
    scale,
  };
  const write = (timeMs: number): void =>
    replaceFile(file, `${JSON.stringify({ reservedMs: Math.ceil(timeMs) })}\n`);
  const reserve = (nowMs: number): void =>
    write(isWall ? nowMs : nowMs + 2 * RESERVE_EVERY_MS * scale);
  const marketTime = marketTimeOf(withRun(folder, anchor));
  reserve(anchor.anchorMs);
  return { anchor, marketTime, reserve, stop: write };
}

/**
 * Returns how market time runs in a folder since its last start, without a reservation; null where
 * it never ran. Errors: `store_corrupt`.
 */
export function lastRun(folder: string): ClockAnchor | null {
  const file = join(folder, 'sandbox-runs.json');
  return existsSync(file) ? (runsIn(file, `${file}.copy`).at(-1) ?? null) : null;
}

const runsSchema = z.object({
  runs: z.array(
    z.object({ anchorWallMs: z.number(), anchorMs: z.number(), scale: z.number().positive() }),
  ),
});

/**
 * Adds this run to those that are kept, so that what was stored in an earlier one keeps its wall
 * time.
 */
function withRun(folder: string, anchor: ClockAnchor): readonly ClockRun[] {
  const file = join(folder, 'sandbox-runs.json');
  const copy = `${file}.copy`;
  const known = existsSync(file) ? runsIn(file, copy) : [];
  const runs = [...known, anchor].slice(-SANDBOX_TIME.runsKept);
  for (const each of [file, copy]) replaceFile(each, `${JSON.stringify({ runs })}\n`);
  return runs;
}

/** The runs of a file, or of its copy where it cannot be read. */
function runsIn(file: string, copy: string): readonly ClockRun[] {
  try {
    return readRuns(file);
  } catch (cause) {
    if (!existsSync(copy)) throw cause;
    const runs = readRuns(copy);
    process.stderr.write(`predictd: ${file} cannot be read; its copy ${copy} is used.\n`);
    return runs;
  }
}

function readRuns(file: string): readonly ClockRun[] {
  try {
    return runsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).runs;
  } catch (cause) {
    throw new AppError(
      'store_corrupt',
      `${file} cannot be read; remove the data folder to begin anew, or restore it.`,
      { cause },
    );
  }
}

/** What is stored must not lie in the future, and the wall clock cannot be made to wait. */
function aheadOfWall(folder: string, reservedMs: number, wallMs: number): AppError {
  const text = (atMs: number): string => new Date(atMs).toISOString();
  return new AppError(
    'config_invalid',
    `the sandbox in ${folder} has come to ${text(reservedMs)} at a higher speed, and PREDICTD_SANDBOX_SPEED=1 is the wall clock, which shows ${text(wallMs)}; give a speed of 2 or more, another PREDICTD_DATA, or remove the folder.`,
  );
}

/**
 * Where a new sandbox's time begins: shortly before a quarter of an hour, so that a newcomer sees
 * every agent's round open within seconds.
 */
function firstMoment(wallMs: number): number {
  return Math.ceil((wallMs + LEAD_MS) / QUARTER_MS) * QUARTER_MS - LEAD_MS;
}

function readReserved(file: string): number {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (
      typeof parsed === 'object' &&
      parsed !== null &&
      'reservedMs' in parsed &&
      Number.isSafeInteger(parsed.reservedMs)
    )
      return Number(parsed.reservedMs);
  } catch (cause) {
    throw new AppError(
      'store_corrupt',
      `${file} cannot be read; remove the data folder to begin anew, or restore it.`,
      { cause },
    );
  }
  throw new AppError(
    'store_corrupt',
    `${file} holds no time; remove the data folder to begin anew, or restore it.`,
  );
}
