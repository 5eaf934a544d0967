import type { Account } from '../../../src/domain/ledger-post.ts';
import type { Store } from '../../../src/ports/store.ts';
import { imbalanceMicros, storedAccounts } from './stored-accounts.ts';
import { ReplayedLedger } from './replayed-ledger.ts';

/** Journal entries read at a time. */
const PAGE = 1_000;

/** An account that is not there, as that of a user whom another shard has since a split. */
const NOTHING = { provisional: 0, settled: 0 };

/** What a check of the books found. */
export interface BooksReport {
  /** Ledger entries in the journal. */
  readonly entries: number;
  /** How far the stored balances are from adding up to nothing; 0, always (L4). */
  readonly imbalanceMicros: number;
  /** Accounts whose stored balance is not what the journal replays to; none, always (L4). */
  readonly differing: readonly string[];
}

/**
 * Replays the whole journal into books of its own and compares them with the stored ones (L4).
 * Takes time with the length of the journal: for checks, not for the start.
 */
export function verifyBooks(store: Store): BooksReport {
  const replayed = new ReplayedLedger();
  let entries = 0;
  for (
    let page = store.readJournal(0, PAGE);
    page.length > 0;
    page = store.readJournal(page.at(-1)?.seq ?? 0, PAGE)
  ) {
    const posted = page.flatMap(({ event }) =>
      event.type === 'ledger.posted' ? [event.entry] : [],
    );
    replayed.replay(posted);
    entries += posted.length;
  }
  const stored = storedAccounts(store);
  const names = new Map(stored.map((account) => [nameOf(account), account]));
  const all = [
    ...stored,
    ...[...replayed.accounts()].filter((account) => !names.has(nameOf(account))),
  ];
  const differing = all
    .filter((account) => !isSame(account, replayed, names.get(nameOf(account))))
    .map(nameOf);
  return { entries, imbalanceMicros: imbalanceMicros(stored), differing };
}

function isSame(
  { owner, asset }: Account,
  replayed: ReplayedLedger,
  stored: Account | undefined,
): boolean {
  const reported = replayed.balanceOf(owner, asset) ?? NOTHING;
  const { provisional, settled } = stored?.balance ?? NOTHING;
  return reported.provisional === provisional && reported.settled === settled;
}

function nameOf({ owner, asset }: Account): string {
  return `${owner} ${asset}`;
}
