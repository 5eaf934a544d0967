import type { z } from 'zod';
import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../domain/errors.ts';
import type { VenueFill } from '../../domain/fill.ts';
import { asId, type Address, type OrderId, type UserId } from '../../domain/ids.ts';
import type { OrderAttempt } from '../../domain/order.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type {
  LookupOutcome,
  ListingGateway,
  PartialList,
  SubmitOutcome,
  VenueOrder,
} from '../../ports/order-gateway.ts';
import type { Accounts } from './accounts.ts';
import { jsonOf, type Account, type VenueClient } from './client.ts';
import { parseFills, parseOrder, type Party } from './parse.ts';
import { orderSchema, pageSchema, tradeSchema, versionSchema } from './schema.ts';
import { cancelOutcome, submitOutcome } from './orders/write-outcomes.ts';

const FIRST_CURSOR = 'MA==';
const LAST_CURSOR = 'LTE=';
/** The order format `sign.ts` and `order-body.ts` make (venue_a.md section 4.1). */
const ORDER_VERSION = 2;
const VERSION_MISMATCH = 'order_version_mismatch';
/** Orders whose balance refusal was answered with a refresh: enough for every order in flight. */
const REFRESHED_MAXIMUM = 1_000;

/**
 * Makes the order gateway. Writes are sent once; what their answers mean is decided by
 * `orders/write-outcomes.ts`.
 */
export function createOrderGateway(parts: {
  readonly client: VenueClient;
  readonly accounts: Accounts;
  readonly metrics: Metrics;
  readonly watch: ListingGateway['watch'];
  /** Address whose funds move. */
  funderOf(userId: UserId): Address;
}): ListingGateway {
  const { client, accounts, metrics } = parts;
  const refreshed = new Set<OrderId>();
  return {
    watch: parts.watch,
    async submit({ intent: { userId }, attempt }, permission) {
      const orderId = idOf(attempt);
      // The bytes of an order leave within this call where nothing has to be waited for.
      const account =
        accounts.heldAccount(userId) ?? (await accounts.accountOf(userId).catch(reasonOf));
      if (typeof account === 'string')
        return { kind: 'deferred', retryAfterMs: VENUE_A.retryAfterDefaultMs, reason: account };
      const answer = await client.call({
        family: 'write',
        method: 'POST',
        path: '/order',
        body: attempt.body,
        account,
        timeoutMs: VENUE_A.writeTimeoutMs,
        signal: permission?.signal,
        isGranted: permission?.isGranted,
      });
      const outcome = submitOutcome(orderId, answer);
      if (outcome.kind !== 'rejected') return outcome;
      if (isStaleBalance(outcome.reason))
        return afterRefresh({
          accounts,
          refreshed,
          userId,
          orderId,
          body: attempt.body,
          reason: outcome.reason,
        });
      if (!outcome.reason.startsWith(VERSION_MISMATCH)) return outcome;
      return afterVersion(client, outcome.reason);
    },
    async cancel({ intent: { userId }, attempt }) {
      const orderId = idOf(attempt);
      const account = await accounts.accountOf(userId).catch(reasonOf);
      if (typeof account === 'string') return { kind: 'unknown', cause: account };
      const body = JSON.stringify({ orderID: orderId });
      return cancelOutcome(
        orderId,
        await client.call({
          family: 'write',
          method: 'DELETE',
          path: '/order',
          body,
          account,
          timeoutMs: VENUE_A.writeTimeoutMs,
        }),
      );
    },
    async lookup({ intent: { userId }, attempt }) {
      const account = await accounts.accountOf(userId).catch(reasonOf);
      return typeof account === 'string'
        ? { kind: 'unreachable', cause: account }
        : lookup(client, account, idOf(attempt));
    },
    async fills(userId, sinceMs) {
      const account = await accounts.accountOf(userId);
      const party = { key: account.credentials.key, address: parts.funderOf(userId) };
      // A second earlier: whether `after` includes its own second is not stated.
      const rows = await readPages(client, {
        path: '/data/trades',
        account,
        query: { after: String(Math.max(0, Math.floor(sinceMs / 1_000) - 1)) },
      });
      const { read, unread } = readRows(
        rows,
        (row) => readFills(row, party),
        (count) =>
          metrics.count(
            'venue_dropped_total',
            { venue: 'venue_a', channel: 'trades', reason: 'unreadable' },
            count,
          ),
      );
      return {
        read: read
          .flat()
          .filter((fill) => fill.matchedAtMs >= Math.floor(sinceMs / 1_000) * 1_000)
          .sort((a, b) => a.matchedAtMs - b.matchedAtMs),
        unread,
      };
    },
    async openOrders(userId) {
      const rows = await readPages(client, {
        path: '/data/orders',
        account: await accounts.accountOf(userId),
        query: {},
      });
      return readRows(rows, readOrder, (count) =>
        metrics.count(
          'venue_dropped_total',
          { venue: 'venue_a', channel: 'orders', reason: 'unreadable' },
          count,
        ),
      );
    },
  };
}

/** Reads row by row; those without meaning are counted and leave the others as they are. */
function readRows<T>(
  rows: readonly unknown[],
  read: (row: unknown) => T,
  dropped: (count: number) => void,
): PartialList<T> {
  const known: T[] = [];
  for (const row of rows) {
    try {
      known.push(read(row));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'venue_protocol') throw error;
    }
  }
  const unread = rows.length - known.length;
  if (unread > 0) dropped(unread);
  return { read: known, unread };
}

function unexpected(what: string, { issues: [issue] }: z.ZodError): AppError {
  const place = issue === undefined ? '' : `: ${issue.path.join('.')}`;
  return new AppError('venue_protocol', `unexpected ${what} format from venue_a${place}`);
}

function readFills(row: unknown, party: Party): readonly VenueFill[] {
  const wire = tradeSchema.safeParse(row);
  if (!wire.success) throw unexpected('trade', wire.error);
  return parseFills(wire.data, party);
}

function readOrder(row: unknown): VenueOrder {
  const wire = orderSchema.safeParse(row);
  if (!wire.success) throw unexpected('order', wire.error);
  return parseOrder(wire.data);
}

/**
 * Only an order object is "there", and only a JSON 404, null or nothing is "not there"; all else is
 * silence (L2).
 */
async function lookup(
  client: VenueClient,
  account: Account,
  orderId: OrderId,
): Promise<LookupOutcome> {
  const outcome = await client.call({
    family: 'ledger',
    method: 'GET',
    path: `/data/order/${orderId}`,
    account,
  });
  if (outcome.kind !== 'answered') return { kind: 'unreachable', cause: outcome.cause };
  const value = jsonOf(outcome.text);
  if (outcome.status === 404 && value !== undefined) return { kind: 'absent', proof: null };
  if (outcome.status !== 200) return { kind: 'unreachable', cause: `answered ${outcome.status}` };
  if (value === null || outcome.text.trim() === '') return { kind: 'absent', proof: null };
  try {
    const order = readOrder(value);
    return order.orderId.toLowerCase() === orderId.toLowerCase()
      ? { kind: 'found', order }
      : { kind: 'unreachable', cause: 'the answer is about another order' };
  } catch (error) {
    return { kind: 'unreachable', cause: reasonOf(error) };
  }
}

/** The venue names an order by the digest that is signed. */
function idOf({ attemptId }: OrderAttempt): OrderId {
  return asId<OrderId>(attemptId);
}

interface PagedRead {
  readonly path: string;
  readonly account: Account;
  readonly query: Readonly<Record<string, string>>;
}

async function readPages(client: VenueClient, read: PagedRead): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let cursor = FIRST_CURSOR;
  for (let page = 0; page < VENUE_A.pagesMaximum; page += 1) {
    const query = cursor === FIRST_CURSOR ? read.query : { ...read.query, next_cursor: cursor };
    const answer = pageSchema.safeParse(
      await client.read({
        family: 'ledger',
        method: 'GET',
        path: read.path,
        account: read.account,
        query,
      }),
    );
    if (!answer.success)
      throw new AppError('venue_protocol', `unexpected page format from venue_a: ${read.path}`);
    rows.push(...answer.data.data);
    if (answer.data.next_cursor === LAST_CURSOR || answer.data.next_cursor === '') return rows;
    cursor = answer.data.next_cursor;
  }
  throw new AppError('venue_protocol', `${read.path}: more than ${VENUE_A.pagesMaximum} pages`);
}

/**
 * The venue checks its cache of balances, which a fresh deposit or settlement has not reached
 * (survival.md, balance-cache-stale).
 */
function isStaleBalance(reason: string): boolean {
  return reason.toLowerCase().includes('not enough balance');
}

/**
 * Asks the venue for the version of its order format when it refuses ours. These bytes are over
 * either way; only where it names the one they were made in may the intent be signed once more
 * (survival.md, order-version-mismatch).
 */
async function afterVersion(client: VenueClient, reason: string): Promise<SubmitOutcome> {
  try {
    const answer = versionSchema.safeParse(
      await client.read({ family: 'public', method: 'GET', path: '/version' }),
    );
    if (!answer.success)
      return { kind: 'rejected', reason: `${reason}; asked again, the venue names no version` };
    const { version } = answer.data;
    return version === ORDER_VERSION
      ? {
          kind: 'reissue',
          reason: `${reason}; asked again, the venue takes version ${version}, as this order was`,
        }
      : {
          kind: 'rejected',
          reason: `${reason}; the venue takes version ${version} now, and orders are signed as version ${ORDER_VERSION} here`,
        };
  } catch (error) {
    return {
      kind: 'rejected',
      reason: `${reason}; the venue's version could not be read: ${reasonOf(error)}`,
    };
  }
}

interface Refresh {
  readonly accounts: Accounts;
  readonly refreshed: Set<OrderId>;
  readonly userId: UserId;
  readonly orderId: OrderId;
  readonly body: string;
  readonly reason: string;
}

/**
 * The first refusal for want of balance refreshes the venue's cache and lets the same bytes come
 * again; the second is believed.
 */
async function afterRefresh({
  accounts,
  refreshed,
  userId,
  orderId,
  body,
  reason,
}: Refresh): Promise<SubmitOutcome> {
  if (refreshed.has(orderId)) {
    refreshed.delete(orderId);
    return {
      kind: 'underfunded',
      reason,
      lacksAllowance: reason.includes('allowance is not enough'),
    };
  }
  const oldest = refreshed.values().next();
  if (refreshed.size >= REFRESHED_MAXIMUM && oldest.done === false) refreshed.delete(oldest.value);
  refreshed.add(orderId);
  const failure = await accounts
    .refreshBalance(userId, soldTokenOf(body))
    .then(() => null, reasonOf);
  return failure === null
    ? { kind: 'deferred', retryAfterMs: VENUE_A.balanceRefreshWaitMs, reason }
    : {
        kind: 'deferred',
        retryAfterMs: VENUE_A.retryAfterDefaultMs,
        reason: `${reason}; the refresh failed: ${failure}`,
      };
}

/**
 * The token a sale gives, from the body our own signer wrote; null for a buy, which gives
 * collateral.
 */
function soldTokenOf(body: string): string | null {
  return body.includes('"side":"SELL"') ? (/"tokenId":"(\d+)"/.exec(body)?.[1] ?? null) : null;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure';
}
