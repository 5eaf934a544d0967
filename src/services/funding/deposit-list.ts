import { DEPOSIT_WATCH } from '../../../config/limits/bridge.ts';
import type { DepositRecord } from '../../domain/deposit.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { invalidCursor } from '../newest-page.ts';
import { ARRIVALS, DEPOSIT_CREDITS, DEPOSIT_RECORDS, type ArrivalRecord } from './tables.ts';

/** One line of the list: a payment the bridge tells of, or money that came without it. */
export type DepositLine =
  | { readonly kind: 'bridge'; readonly deposit: DepositRecord }
  | { readonly kind: 'arrival'; readonly arrival: ArrivalRecord };

interface Keyed {
  readonly atMs: number;
  readonly id: string;
  readonly line: DepositLine;
}

/**
 * One page of a user's deposits, newest first: payments to deposit addresses by when they were
 * first seen, whatever has become of them, and everything else that came by when it was booked.
 * What a payment was credited with is in its own line alone. Errors: `invalid_request` for an
 * invalid cursor.
 */
export function pageOfDeposits(
  reader: StoreReader,
  userId: UserId,
  { limit, cursor }: PageQuery,
): Page<DepositLine> {
  const before = cursor === null ? null : placeOf(cursor);
  const paid = reader
    .range(DEPOSIT_RECORDS, { prefix: [userId] })
    .map(
      ({ value }): Keyed => ({
        atMs: value.seenAtMs,
        id: value.depositId,
        line: { kind: 'bridge', deposit: value },
      }),
    )
    .filter((keyed) => before === null || compare(keyed, before) < 0);
  const lines = [...paid, ...arrivalsBefore(reader, userId, { before, limit: limit + 1 })].sort(
    (one, other) => compare(other, one),
  );
  const data = lines.slice(0, limit);
  const last = data.at(-1);
  return {
    data: data.map(({ line }) => line),
    nextCursor: last !== undefined && lines.length > data.length ? cursorOf(last) : null,
  };
}

function arrivalsBefore(
  reader: StoreReader,
  userId: UserId,
  { before, limit }: { readonly before: Pick<Keyed, 'atMs' | 'id'> | null; readonly limit: number },
): readonly Keyed[] {
  const found: Keyed[] = [];
  for (
    let after = before === null ? null : [userId, before.atMs, before.id];
    found.length < limit;
  ) {
    const rows = reader.range(ARRIVALS, {
      prefix: [userId],
      reverse: true,
      limit: DEPOSIT_WATCH.arrivalsPerRead,
      ...(after === null ? {} : { after }),
    });
    for (const { value } of rows) {
      if (reader.get(DEPOSIT_CREDITS, [userId, value.transferId]) === null)
        found.push({
          atMs: value.arrivedAtMs,
          id: value.transferId,
          line: { kind: 'arrival', arrival: value },
        });
    }
    const last = rows.at(-1)?.value;
    if (rows.length < DEPOSIT_WATCH.arrivalsPerRead || last === undefined) break;
    after = [userId, last.arrivedAtMs, last.transferId];
  }
  return found.slice(0, limit);
}

function compare(one: Pick<Keyed, 'atMs' | 'id'>, other: Pick<Keyed, 'atMs' | 'id'>): number {
  return one.atMs - other.atMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

const CURSOR = /^deposits:(\d{1,15}):([0-9A-Za-z_:#]{1,120})$/;

function cursorOf({ atMs, id }: Keyed): string {
  return Buffer.from(`deposits:${atMs}:${id}`).toString('base64url');
}

function placeOf(cursor: string): Pick<Keyed, 'atMs' | 'id'> {
  const [, atMs, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (atMs === undefined || id === undefined) throw invalidCursor();
  return { atMs: Number(atMs), id };
}
