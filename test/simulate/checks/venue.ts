import { CASH_ACCOUNTS, type CashAccount } from '../../../src/domain/cash.ts';
import type { JournalEntry } from '../../../src/domain/events.ts';
import type { ActivityEntry } from '../../../src/sandbox/engine/engine-state.ts';
import type { EngineTrade } from '../../../src/sandbox/engine/exchange-types.ts';
import { factsOf } from './journal.ts';

/** Money that a venue or its chain says came, went or was paid. */
export interface PaidEntry extends Pick<ActivityEntry, 'kind' | 'tokenId' | 'usdcMicros'> {
  /** Where; the Safe unless stated. */
  readonly cashAccount?: CashAccount;
}

/** A trade as a venue or its chain has it. */
export interface VenueTrade extends Pick<EngineTrade, 'tradeId' | 'status' | 'takerOrderId'> {
  readonly makers: readonly Pick<EngineTrade['makers'][number], 'orderId'>[];
}

/** What the venues tell of one user: their own books, which no part of the service writes. */
export interface VenueRecords {
  readonly userId: string;
  readonly activity: readonly PaidEntry[];
  /** Trades with an order of the user in them. */
  readonly trades: readonly VenueTrade[];
  /** What the venues say the user's addresses hold, by asset. */
  readonly atVenue: ReadonlyMap<string, number>;
  /** What it holds on the chain. */
  readonly balances: ReadonlyMap<string, number>;
}

/** L4: what the venue says a user has and the chain does not, or the other way round. */
export function venueDiffersFromChain(users: readonly VenueRecords[]): readonly string[] {
  return users.flatMap(({ userId, atVenue, balances }) =>
    [...new Set([...atVenue.keys(), ...balances.keys()])].flatMap((asset) => {
      const [there, onChain] = [atVenue.get(asset) ?? 0, balances.get(asset) ?? 0];
      return there === onChain
        ? []
        : [`${userId} ${asset}: ${there} at the venue, ${onChain} on the chain`];
    }),
  );
}

/**
 * L3: wins, deposits and withdrawals that are booked otherwise than the venue paid and took them
 * in: not at all, twice, or with another amount.
 */
export function notPaidOnce(
  journal: readonly JournalEntry[],
  users: readonly VenueRecords[],
): readonly string[] {
  const posted = factsOf(journal, 'ledger.posted');
  return users.flatMap(({ userId, activity }) => {
    const booked = posted
      .filter((event) => event.userId === userId)
      .flatMap(({ entry: { kind, postings } }): readonly (readonly [string, number])[] => {
        const own = postings.filter(({ owner }) => owner === userId);
        const account = CASH_ACCOUNTS.find((one) => own.some(({ asset }) => asset === one));
        if (account === undefined) return [];
        const usdc = own.find(({ asset }) => asset === account)?.micros ?? 0;
        if (kind === 'deposit') return [[`deposit to ${account}`, usdc]];
        if (kind === 'hold_booked')
          return [
            [
              `withdrawal from ${account}`,
              own.find(({ asset, column }) => asset === account && column === 'provisional')
                ?.micros ?? 0,
            ],
          ];
        return kind === 'payout' && usdc > 0
          ? [[`win ${own.find(({ asset }) => asset !== account)?.asset ?? '?'}`, usdc]]
          : [];
      });
    const there = activity.flatMap(
      ({
        kind,
        tokenId,
        usdcMicros,
        cashAccount = 'usdc:safe',
      }): readonly (readonly [string, number])[] => {
        if (kind === 'DEPOSIT') return [[`deposit to ${cashAccount}`, usdcMicros]];
        if (kind === 'WITHDRAWAL') return [[`withdrawal from ${cashAccount}`, usdcMicros]];
        return kind === 'REDEEM' && usdcMicros > 0 ? [[`win ${tokenId ?? '?'}`, usdcMicros]] : [];
      },
    );
    const [ours, theirs] = [tally(booked), tally(there)];
    return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((name) =>
      ours.get(name) === theirs.get(name)
        ? []
        : [
            `${userId} ${name}: booked ${ours.get(name) ?? 'never'}, at the venue ${theirs.get(name) ?? 'never'}`,
          ],
    );
  });
}

/**
 * L3: own fills that ended otherwise than the venue's trades, and trades of the venue that we
 * never heard of.
 */
export function tradesDiffer(
  journal: readonly JournalEntry[],
  users: readonly VenueRecords[],
): readonly string[] {
  const orders = new Set(
    factsOf(journal, 'order.signed').map(({ attemptId }) => String(attemptId)),
  );
  const ends = new Map<string, string>();
  for (const { fill } of factsOf(journal, 'fill.recorded'))
    ends.set(`${fill.tradeId} ${fill.orderId}`, 'provisional');
  for (const { tradeId, orderId } of factsOf(journal, 'fill.settled'))
    ends.set(`${tradeId} ${orderId}`, 'settled');
  for (const { tradeId, orderId } of factsOf(journal, 'fill.reversed'))
    ends.set(`${tradeId} ${orderId}`, 'reversed');
  const there = new Map<string, string>(
    users
      .flatMap(({ trades }) => trades)
      .flatMap(({ tradeId, status, takerOrderId, makers }) =>
        [takerOrderId, ...makers.map(({ orderId }) => orderId)]
          .filter((orderId) => orders.has(orderId))
          .map((orderId) => [`${tradeId} ${orderId}`, status] as const),
      ),
  );
  return [...new Set([...ends.keys(), ...there.keys()])].flatMap((name) => {
    const [ours, theirs] = [ends.get(name), there.get(name)];
    // A trade that failed before we heard of it leaves nothing to take back.
    const agrees =
      theirs === 'CONFIRMED'
        ? ours === 'settled'
        : theirs === 'FAILED' && (ours === 'reversed' || ours === undefined);
    return agrees ? [] : [`${name}: ${ours ?? 'unheard of'}, at the venue ${theirs ?? 'none'}`];
  });
}

/**
 * L4: postings that do not add up to nothing, and balances that the journal's postings give
 * otherwise than the venue's contracts hold them.
 */
export function postingsDiffer(
  journal: readonly JournalEntry[],
  users: readonly VenueRecords[],
): readonly string[] {
  const found: string[] = [];
  const sums = new Map<string, number>();
  for (const { entry } of factsOf(journal, 'ledger.posted')) {
    const byAsset = new Map<string, number>();
    for (const { owner, asset, column, micros } of entry.postings) {
      byAsset.set(asset, (byAsset.get(asset) ?? 0) + micros);
      const name = `${owner} ${asset} ${column}`;
      sums.set(name, (sums.get(name) ?? 0) + micros);
    }
    for (const [asset, micros] of byAsset)
      if (micros !== 0) found.push(`${entry.entryId} is off by ${micros} of ${asset}`);
  }
  for (const { userId, balances } of users) {
    const assets = new Set([
      ...balances.keys(),
      ...[...sums.keys()]
        .filter((name) => name.startsWith(`${userId} `))
        .map((name) => name.split(' ')[1] ?? ''),
    ]);
    for (const asset of assets) {
      const [settled, provisional, there] = [
        sums.get(`${userId} ${asset} settled`) ?? 0,
        sums.get(`${userId} ${asset} provisional`) ?? 0,
        balances.get(asset) ?? 0,
      ];
      if (settled !== there || provisional !== 0)
        found.push(
          `${userId} ${asset}: ${settled} and ${provisional} provisional by the journal, ${there} at the venue`,
        );
    }
  }
  return found;
}

/** Amounts by name, each a sorted list, as one text. */
function tally(entries: readonly (readonly [string, number])[]): ReadonlyMap<string, string> {
  const amounts = new Map<string, number[]>();
  for (const [name, micros] of entries)
    amounts.set(
      name,
      [...(amounts.get(name) ?? []), micros].sort((a, b) => a - b),
    );
  return new Map([...amounts].map(([name, list]) => [name, list.join(' and ')]));
}
