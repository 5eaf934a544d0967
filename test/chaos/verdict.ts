import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { asId, type TokenId, type UserId } from '../../src/domain/ids.ts';
import { isTerminal, type OrderRecord } from '../../src/domain/order.ts';
import type { Store } from '../../src/ports/store.ts';
import type { VenueModel } from '../../src/sandbox/engine/exchange.ts';
import type { OrderView } from '../../src/sandbox/engine/exchange-types.ts';
import { balanceOf } from '../../src/services/books/record-changes.ts';
import { isRiskSound } from '../../src/services/recovery.ts';
import { ORDERS, ORDER_KEYS } from '../../src/services/books/tables.ts';
import { USERS } from '../../src/services/sign-in/tables.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';
import type { Reported } from './caller.ts';
import type { Person } from './users.ts';
import { readVenueOrders, type Request } from './requests.ts';
import { orderIdOf, sendsOf } from '../support/attempts.ts';

/**
 * What three sets of records, read apart from one another, say of the requests. Everything but the
 * first two is to be 0 or empty.
 */
export interface Verdict {
  readonly requests: number;
  /** Requests of which the venue took in an order; the others were refused, and all sides agree. */
  readonly taken: number;
  /** Orders at the venue, and in our store, beyond the first of a request. */
  readonly duplicatesAtVenue: number;
  readonly duplicatesHere: number;
  /**
   * Requests whose caller got an order that is not there, or none where there is one.
   */
  readonly lost: number;
  /** Orders whose state here is undecided, or is not the venue's. */
  readonly guessed: number;
  /** Orders of these people at the venue, or here, that were not requested. */
  readonly strangers: number;
  /** Users whose settled cash or shares differ from the venue's. */
  readonly ledgerDiffers: number;
  readonly imbalanceMicros: number;
  readonly brokenLaws: readonly string[];
  /** Errors the daemon has logged that are no refused calls. */
  readonly errors: readonly string[];
  /** The first few things that are not as they should be, in words. */
  readonly findings: readonly string[];
}

/** What is compared. */
export interface Evidence {
  readonly exchange: VenueModel;
  /** Data folders of daemons that have ended, one of each shard. */
  readonly folders: readonly string[];
  readonly people: readonly Person[];
  readonly reported: ReadonlyMap<Request, Reported>;
}

/** Key of a request: unique over all people's. */
export function keyOf({ who, number }: Request): string {
  return `request-${who}-${number}`;
}

/** True when nothing is wrong. */
export function isClean({
  requests: _requests,
  taken: _taken,
  brokenLaws,
  errors,
  findings,
  ...counts
}: Verdict): boolean {
  return (
    Object.values(counts).every((count) => count === 0) &&
    brokenLaws.length + errors.length + findings.length === 0
  );
}

const FINDINGS_SHOWN = 10;

/** Compares what the venue has, what we have stored, and what callers were answered. */
export async function judge({ exchange, folders, people, reported }: Evidence): Promise<Verdict> {
  const stores: Awaited<ReturnType<typeof openLmdbStore>>[] = [];
  for (const folder of folders) stores.push(await openLmdbStore({ path: join(folder, 'store') }));
  const storeOf = ({ userId }: Person): Store => {
    const store = stores.find((one) => one.get(USERS, [userId]) !== null);
    if (store === undefined) throw new Error(`no shard has ${userId}`);
    return store;
  };
  try {
    const findings: string[] = [];
    const counts = { taken: 0, duplicatesAtVenue: 0, lost: 0, guessed: 0 };
    const venue = readVenueOrders(exchange);
    const ours = readOurs(stores);
    for (const [request, words] of reported) {
      const person = people[request.who];
      if (person === undefined) throw new Error('every request has a user');
      const atVenue = venue.of(person.maker, request);
      const records = ours.byKey.get(`${person.userId} ${keyOf(request)}`) ?? [];
      if (atVenue.length > 0) counts.taken += 1;
      counts.duplicatesAtVenue += Math.max(0, atVenue.length - 1);
      const flaw = flawOf(words, records, atVenue);
      if (flaw !== null) counts[flaw.kind] += 1;
      if (flaw !== null || atVenue.length > 1 || records.length > 1)
        findings.push(
          describe(request, { words, records, atVenue, flaw: flaw?.text ?? 'more than one order' }),
        );
    }
    const requests = [...reported.keys()];
    const keys = new Set(
      requests.map((request) => `${people[request.who]?.userId ?? ''} ${keyOf(request)}`),
    );
    const strangersHere = [...ours.byKey].filter(([key]) => !keys.has(key)).length + ours.keyless;
    const markets = [...new Set(requests.map(({ market }) => market))];
    const differing = people.filter((person) =>
      differs(
        storeOf(person),
        exchange,
        person,
        markets.flatMap(({ tokens }) => tokens),
      ),
    );
    findings.push(...differing.map(({ userId }) => `the ledger of ${userId} is not the venue's`));
    return {
      requests: requests.length,
      ...counts,
      duplicatesHere: [...ours.byKey.values()].reduce(
        (sum, records) => sum + records.length - 1,
        0,
      ),
      strangers:
        venue.others(
          people.map(({ maker }) => maker),
          requests,
        ).length + strangersHere,
      ledgerDiffers: differing.length,
      imbalanceMicros: stores.reduce((sum, one) => sum + verifyBooks(one).imbalanceMicros, 0),
      brokenLaws: [
        ...stores
          .flatMap((one) => verifyBooks(one).differing)
          .map((name) => `the journal replays to another balance of ${name}`),
        ...people
          .filter((person) => !isRiskSound(storeOf(person), asId<UserId>(person.userId)))
          .map(({ userId }) => `what is kept of the risk of ${userId} differs from its records`),
      ],
      errors: folders.flatMap((folder) => errorsIn(join(folder, 'predictd.log'))),
      findings: findings.slice(0, FINDINGS_SHOWN),
    };
  } finally {
    for (const store of stores) await store.close();
  }
}

function readOurs(stores: readonly Store[]): {
  readonly byKey: ReadonlyMap<string, readonly OrderRecord[]>;
  readonly keyless: number;
} {
  const byKey = new Map<string, OrderRecord[]>();
  const keyed = new Set<string>();
  for (const store of stores)
    for (const { key, value } of store.range(ORDER_KEYS)) {
      const record = store.get(ORDERS, [value.userId, value.intentId])?.value;
      if (record === undefined)
        throw new Error(`an order under the key ${String(key[1])} has no record`);
      // The service joins the caller's key with the moment of the first call under it.
      const name = `${value.userId} ${String(key[1]).split(':')[0]}`;
      byKey.set(name, [...(byKey.get(name) ?? []), record]);
      keyed.add(value.intentId);
    }
  const all = stores.flatMap((store) => store.range(ORDERS));
  return {
    byKey,
    keyless: all.filter(({ value }) => !keyed.has(value.intent.intentId)).length,
  };
}

/** Whether caller, service and venue agree about one request. */
function flawOf(
  words: Reported,
  records: readonly OrderRecord[],
  atVenue: readonly OrderView[],
): { readonly kind: 'lost' | 'guessed'; readonly text: string } | null {
  const [record] = records;
  const [order] = atVenue;
  if (words.kind === 'refused')
    return record === undefined && order === undefined
      ? null
      : { kind: 'lost', text: 'refused to its caller, and yet made' };
  if (record === undefined || record.intent.intentId !== words.id)
    return { kind: 'lost', text: 'the caller got another order' };
  if (order !== undefined && order.order.orderId.toLowerCase() !== orderIdOf(record).toLowerCase())
    return { kind: 'lost', text: 'the venue has another order' };
  if (!isTerminal(record.state))
    return { kind: 'guessed', text: 'still undecided, or open though it was taken back' };
  if (order === undefined)
    return record.state === 'rejected' && record.filledShares === 0
      ? null
      : { kind: 'guessed', text: 'the venue has no such order' };
  const isSame =
    wordOf(record) === order.status.split('_')[0] && record.filledShares === order.matchedShares;
  return isSame ? null : { kind: 'guessed', text: 'the venue judges otherwise' };
}

/** The venue's word for how an order ended here. */
function wordOf({ state }: OrderRecord): string {
  return state === 'filled' ? 'MATCHED' : state === 'rejected' ? 'none' : 'CANCELED';
}

function describe(
  request: Request,
  {
    words,
    records,
    atVenue,
    flaw,
  }: {
    readonly words: Reported;
    readonly records: readonly OrderRecord[];
    readonly atVenue: readonly OrderView[];
    readonly flaw: string;
  },
): string {
  const here = records
    .map(
      (record) =>
        `${record.intent.intentId} ${record.state} (${record.reason ?? 'no reason'}), ${record.filledShares} filled, ${sendsOf(record)} sends`,
    )
    .join('; ');
  const there = atVenue
    .map(
      ({ order, status, reason, matchedShares }) =>
        `${order.orderId.slice(0, 10)} ${status} (${reason ?? 'no reason'}), ${matchedShares} matched`,
    )
    .join('; ');
  return `${keyOf(request)}: ${flaw}; answered ${JSON.stringify(words)}; here [${here}]; venue [${there}]`;
}

function differs(
  store: Store,
  exchange: VenueModel,
  { userId, maker }: Person,
  tokens: readonly TokenId[],
): boolean {
  const owner = asId<UserId>(userId);
  const isSame = (
    ours: { readonly settled: number; readonly provisional: number },
    theirs: number,
  ): boolean => ours.provisional === 0 && ours.settled === theirs;
  return (
    !isSame(balanceOf(store, owner, 'usdc:safe'), exchange.balanceOf(maker)) ||
    tokens.some((token) => !isSame(balanceOf(store, owner, token), exchange.sharesOf(maker, token)))
  );
}

/**
 * Errors in the daemon's log; a call that was refused because a place could not be reached is no
 * surprise under chaos.
 */
function errorsIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && !line.includes('http.call_failed'));
}
