import { assert } from './errors.ts';
import type { LedgerAsset, LedgerBalance, LedgerEntry, LedgerOwner } from './ledger.ts';

/** What posting needs to know of the books. */
export interface LedgerBooks {
  /** True once an entry with this id has been booked. */
  isBooked(entryId: string): boolean;
  /** Balance of an account; null when nothing was ever posted to it. */
  balanceOf(owner: LedgerOwner, asset: LedgerAsset): LedgerBalance | null;
}

/** An account with its balance. */
export interface Account {
  readonly owner: LedgerOwner;
  readonly asset: LedgerAsset;
  readonly balance: LedgerBalance;
}

const EMPTY: LedgerBalance = { provisional: 0, settled: 0 };

/**
 * Posts an entry and gives the accounts it changes, with their new balances; null when the entry is
 * booked already, so that whatever tells of it twice changes nothing (L4). A fill is settled or
 * reversed, and a hold booked or released, once, after it was made: the opposite order is a
 * programmer's error, as is an entry that does not balance.
 */
export function postEntry(entry: LedgerEntry, books: LedgerBooks): readonly Account[] | null {
  if (books.isBooked(entry.entryId)) return null;
  assertBalanced(entry);
  assertTakenBackOrder(entry, books);
  assertFillOrder(entry, books);
  assertHoldOrder(entry, books);
  const changed = new Map<string, Account>();
  for (const { owner, asset, column, micros } of entry.postings) {
    const name = `${owner} ${asset}`;
    const before = changed.get(name)?.balance ?? books.balanceOf(owner, asset) ?? EMPTY;
    const after = before[column] + micros;
    assert(Number.isSafeInteger(after), `account ${name} stays within the safe integers`);
    changed.set(name, { owner, asset, balance: { ...before, [column]: after } });
  }
  return [...changed.values()];
}

/**
 * Checks that the entry's postings add up to nothing in each column of each asset, and that each
 * moves something.
 */
export function assertBalanced(entry: LedgerEntry): void {
  const sums = new Map<string, bigint>();
  for (const { asset, column, micros } of entry.postings) {
    assert(
      Number.isSafeInteger(micros) && micros !== 0,
      `entry ${entry.entryId} posts whole micros, not ${micros}`,
    );
    const name = `${asset} ${column}`;
    sums.set(name, (sums.get(name) ?? 0n) + BigInt(micros));
  }
  assert(sums.size > 0, `entry ${entry.entryId} posts something`);
  for (const [name, sum] of sums)
    assert(sum === 0n, `entry ${entry.entryId} balances in ${name}; it is off by ${sum}`);
}

/** True when the fill behind a settlement or reversal with this name is final either way. */
export function isFillFinal(fillName: string, books: Pick<LedgerBooks, 'isBooked'>): boolean {
  return books.isBooked(`settle:${fillName}`) || books.isBooked(`reverse:${fillName}`);
}

/** What takes an entry back names it behind the first colon. */
function assertTakenBackOrder({ kind, entryId }: LedgerEntry, books: LedgerBooks): void {
  if (kind !== 'taken_back') return;
  const name = entryId.slice(entryId.indexOf(':') + 1);
  assert(books.isBooked(name), `entry ${name} is booked before it is taken back`);
}

/** What ends a fill names it behind the first colon. */
function assertFillOrder(entry: LedgerEntry, books: LedgerBooks): void {
  const fillName = entry.entryId.slice(entry.entryId.indexOf(':') + 1);
  if (entry.kind !== 'settle' && entry.kind !== 'reverse') return;
  assert(books.isBooked(`fill:${fillName}`), `fill ${fillName} is booked before it is final`);
  assert(!isFillFinal(fillName, books), `fill ${fillName} is settled or reversed, not both`);
}

/** The end of a hold names it behind the first colon. */
function assertHoldOrder(entry: LedgerEntry, books: LedgerBooks): void {
  if (entry.kind !== 'hold_booked' && entry.kind !== 'hold_released') return;
  const name = entry.entryId.slice(entry.entryId.indexOf(':') + 1);
  assert(books.isBooked(`hold:${name}`), `hold ${name} is made before it ends`);
  assert(
    !books.isBooked(`hold_booked:${name}`) && !books.isBooked(`hold_released:${name}`),
    `hold ${name} is booked or released, not both`,
  );
}
