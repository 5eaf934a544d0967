import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { replaceFile } from './storage.ts';

/** Where a scaled clock stands: at `anchorWallMs` of wall time it shows `anchorMs`, and it runs `scale` times as fast. */
export interface ClockAnchor {
  readonly anchorWallMs: number;
  readonly anchorMs: number;
  readonly scale: number;
}

/** Sandbox time stands still while the daemon is off and never falls, also after a kill: the file holds a time not yet reached. */
export interface SandboxTime {
  readonly anchor: ClockAnchor;
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

/** Opens the sandbox's own time, kept in the data folder. Errors: `store_corrupt` when the file is not readable. */
export function openSandboxTime(folder: string, scale: number, wallMs: number): SandboxTime {
  const file = join(folder, 'sandbox-time.json');
  const anchor = { anchorWallMs: wallMs, anchorMs: existsSync(file) ? readReserved(file) : firstMoment(wallMs), scale };
  const write = (reservedMs: number): void => replaceFile(file, `${JSON.stringify({ reservedMs: Math.ceil(reservedMs) })}\n`);
  const reserve = (nowMs: number): void => write(nowMs + 2 * RESERVE_EVERY_MS * scale);
  reserve(anchor.anchorMs);
  return { anchor, reserve, stop: write };
}

/**
 * Where a new sandbox's time begins: shortly before a quarter of an hour, so that a newcomer sees every agent's round open
 * within seconds.
 */
function firstMoment(wallMs: number): number {
  return Math.ceil((wallMs + LEAD_MS) / QUARTER_MS) * QUARTER_MS - LEAD_MS;
}

function readReserved(file: string): number {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && 'reservedMs' in parsed && Number.isSafeInteger(parsed.reservedMs)) return Number(parsed.reservedMs);
  } catch (cause) {
    throw new AppError('store_corrupt', `${file} cannot be read; remove the data folder to begin anew, or restore it.`, { cause });
  }
  throw new AppError('store_corrupt', `${file} holds no time; remove the data folder to begin anew, or restore it.`);
}
