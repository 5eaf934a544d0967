import { ClobClient, OrderType, Side } from '../../peers/clob-client-v2.ts';
import { peerSigner } from '../../peers/signer.ts';
import { privateKeyToAddress } from 'viem/accounts';
import { createScaledClock } from '../../../src/adapters/clock/scaled-clock.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { TICKS_PER_USD } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { T0 } from '../builders.ts';
import { pass, type LoadReport, type LoadSize } from './order-load.ts';
import {
  startLoadVenue,
  loadUsers,
  requestsOf,
  type LoadUser,
  type LoadVenue,
  type Request,
} from './load-venue.ts';

/** As long as our own service waits for an answer. */
const TIME_OUT_MS = 5_000;
const AGAIN_AFTER_MS = 1_000;
const TRIES = 5;
/** Longer than a late booking takes. */
const CALM_MS = 20_000;
/**
 * The client waits in real time in places, so its clock runs with the wall's, but faster; a
 * time-out is still a second and more.
 */
const SPEED = 4;

/** What the load left of naive callers' requests. */
export type NaiveReport = Pick<LoadReport, 'taken' | 'duplicates' | 'lost'>;

/**
 * The same load, without power failures, for callers of the venue's official client who do what its
 * `retryOnError` option and common sense suggest: an order that brought no order id in time is made
 * again, five times at most. Without faults it shows that nothing but the faults makes duplicates.
 */
export async function runNaively(
  { users: count, requestsEach, seed }: Omit<LoadSize, 'cuts'>,
  hasFaults = true,
): Promise<NaiveReport> {
  const clock = createScaledClock({ anchorMs: T0, anchorWallMs: Date.now(), scale: SPEED });
  const venue = await startLoadVenue(clock, seed);
  try {
    const users = loadUsers(count, seed);
    venue.fund(users.map(addressOf));
    const clients = await Promise.all(
      users.map(async (user) => [user, await clientOf(venue, user)] as const),
    );
    if (hasFaults) venue.startFaults();
    const reported = new Map<Request, string | null>();
    await Promise.all(
      clients.map(async ([user, client]) => {
        for (const request of requestsOf(user, requestsEach))
          reported.set(
            request,
            await placeAgainAndAgain(
              { clock, client, tokenId: venue.market.outcomes[0].tokenId },
              request,
            ),
          );
      }),
    );
    await pass(clock, CALM_MS);
    return reportOf(venue, reported);
  } finally {
    await venue.close();
  }
}

async function clientOf({ rest }: LoadVenue, { privateKey }: LoadUser): Promise<ClobClient> {
  const signer = peerSigner(privateKey);
  // The venue is on a clock of its own, so the client asks it for the time.
  const options = {
    host: rest,
    chain: signer.chain.id,
    signer,
    useServerTime: true,
    throwOnError: true,
    retryOnError: true,
  };
  return new ClobClient({
    ...options,
    creds: await new ClobClient(options).createOrDeriveApiKey(),
  });
}

/** One caller with a client of its own. */
interface Caller {
  readonly clock: Clock;
  readonly client: ClobClient;
  readonly tokenId: string;
}

/** The order id the caller ends up with; null when all tries seemed to fail. */
async function placeAgainAndAgain(
  { clock, client, tokenId }: Caller,
  request: Request,
): Promise<string | null> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const orderId = await placeOnce({ clock, client, tokenId }, request);
    if (orderId !== null) return orderId;
    await pass(clock, AGAIN_AFTER_MS);
  }
  return null;
}

async function placeOnce(
  { clock, client, tokenId }: Caller,
  { price, shareMicros }: Request,
): Promise<string | null> {
  try {
    const order = await client.createOrder({
      tokenID: tokenId,
      price: price / TICKS_PER_USD,
      size: shareMicros / 1_000_000,
      side: Side.BUY,
    });
    const answer: unknown = await Promise.race([
      client.postOrder(order, OrderType.GTC),
      pass(clock, TIME_OUT_MS),
    ]);
    const orderId =
      typeof answer === 'object' && answer !== null && 'orderID' in answer ? answer.orderID : null;
    return typeof orderId === 'string' && orderId !== '' ? orderId : null;
  } catch {
    // The client throws what the network and the venue say alike: to this caller all of it means
    // "again".
    return null;
  }
}

function reportOf(venue: LoadVenue, reported: ReadonlyMap<Request, string | null>): NaiveReport {
  const outcomes = [...reported].map(([request, orderId]) => {
    const ids = venue
      .ordersOf(addressOf(request.user), request)
      .map(({ order }): string => order.orderId);
    return {
      orders: ids.length,
      isKnown: orderId === null ? ids.length === 0 : ids.includes(orderId),
    };
  });
  return {
    taken: outcomes.filter(({ orders }) => orders > 0).length,
    duplicates: outcomes.reduce((sum, { orders }) => sum + Math.max(0, orders - 1), 0),
    lost: outcomes.filter(({ isKnown }) => !isKnown).length,
  };
}

function addressOf({ privateKey }: LoadUser): Address {
  return asId<Address>(privateKeyToAddress(privateKey));
}
