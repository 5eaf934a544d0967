import { createHash } from 'node:crypto';
import { ClobClient, OrderType, Side } from '../peers/clob-client-v2.ts';
import { peerSigner } from '../peers/signer.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { asId, type Address } from '../../src/domain/ids.ts';
import { TICKS_PER_USD, usdcMicros } from '../../src/domain/units.ts';
import { startWorld } from '../../src/sandbox/world.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import { startProxy } from './proxy/proxy.ts';
import { CALM, createFaultSchedule } from './proxy/fault-schedule.ts';
import { openMarkets, readVenueOrders, requestsOf, type Request } from './requests.ts';

/** What callers of the official client leave, counted from the venue's own orders. */
export interface OfficialReport {
  readonly requests: number;
  readonly taken: number;
  readonly duplicates: number;
  /**
   * Requests whose caller believes in an order that is not there, or in none where there is one.
   */
  readonly lost: number;
  /** Orders that rest at the end though their caller took back what it knew of. */
  readonly leftOpen: number;
}

/** How large the load is. */
export interface OfficialSize {
  readonly intents: number;
  readonly people: number;
  readonly seed: string;
  readonly isCalm?: boolean;
}

/** As long as our own service waits for an answer. */
const TIME_OUT_MS = 5_000;
const AGAIN_AFTER_MS = 500;
const TRIES = 5;
/** Longer than the longest delay of the fault schedule. */
const CALM_MS = 10_000;
const FUNDS = usdcMicros(1_000_000_000);

interface Trader {
  readonly maker: Address;
  readonly client: ClobClient;
}

/**
 * The same requests, by callers of the venue's official client under the same faults, who do what
 * its `retryOnError` option and common sense suggest: what brought no order id in time, or threw,
 * is made again, five times at most. Nothing of theirs is killed.
 */
export async function liveOfficially({
  intents,
  people,
  seed,
  isCalm = false,
}: OfficialSize): Promise<OfficialReport> {
  const clock = createWallClock();
  const world = await startWorld({
    seed: 7,
    clock,
    wallClock: clock,
    dataDir: null,
    makers: false,
    credentials: WORLD_CREDENTIALS,
    chains: false,
  });
  const { hostname: host, port } = new URL(world.urls.venues.venue_a.clobRest);
  const proxy = await startProxy({
    name: 'clobRest',
    target: () => ({ host, port: Number(port) }),
    clock,
  });
  try {
    const markets = openMarkets(world.venues.venue_a.exchange);
    const traders = await Promise.all(
      Array.from({ length: people }, (_, index) =>
        openTrader(`http://127.0.0.1:${proxy.port}`, `${seed} ${index}`),
      ),
    );
    for (const { maker } of traders) world.venues.venue_a.exchange.deposit(maker, FUNDS);
    const requests = traders
      .flatMap((_, who) => requestsOf(who, Math.ceil(intents / people), markets))
      .filter(({ who, number }) => who + number * people < intents);
    if (!isCalm) proxy.setFaultSchedule(createFaultSchedule(seed));
    // where no answer is lost none is given up, however long the machine takes
    const timeOutMs = isCalm ? null : TIME_OUT_MS;
    const reported = new Map<Request, string | null>();
    await Promise.all(
      traders.map(async ({ client }, who) => {
        for (const request of requests.filter((each) => each.who === who)) {
          const orderId = await again(() => placeOnce(client, request), timeOutMs);
          reported.set(request, orderId);
          if (request.rests && orderId !== null)
            await again(() => cancelOnce(client, orderId), timeOutMs);
        }
      }),
    );
    proxy.setFaultSchedule(CALM);
    if (!isCalm) await pause(CALM_MS);
    return reportOf(readVenueOrders(world.venues.venue_a.exchange), traders, reported);
  } finally {
    await proxy.close();
    await world.close();
  }
}

async function openTrader(host: string, seed: string): Promise<Trader> {
  const signer = peerSigner(`0x${createHash('sha256').update(seed).digest('hex')}`);
  const options = { host, chain: signer.chain.id, signer, throwOnError: true, retryOnError: true };
  return {
    maker: asId<Address>(signer.account.address),
    client: new ClobClient({
      ...options,
      creds: await new ClobClient(options).createOrDeriveApiKey(),
    }),
  };
}

/** Tries until something came of it; null when every try seemed to fail. */
async function again<T>(
  once: () => Promise<T | null>,
  timeOutMs: number | null,
): Promise<T | null> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    // The client throws what the network and the venue say alike: to this caller all of it means
    // "again".
    const trying = once().catch(() => null);
    const done = await (timeOutMs === null ? trying : Promise.race([trying, pause(timeOutMs)]));
    if (done !== null && done !== undefined) return done;
    await pause(AGAIN_AFTER_MS);
  }
  return null;
}

async function placeOnce(
  client: ClobClient,
  { market, price, shareMicros }: Request,
): Promise<string | null> {
  const order = await client.createOrder({
    tokenID: market.tokens[0],
    price: price / TICKS_PER_USD,
    size: shareMicros / 1_000_000,
    side: Side.BUY,
  });
  const answer: unknown = await client.postOrder(order, OrderType.GTC);
  const orderId =
    typeof answer === 'object' && answer !== null && 'orderID' in answer ? answer.orderID : null;
  return typeof orderId === 'string' && orderId !== '' ? orderId : null;
}

async function cancelOnce(client: ClobClient, orderID: string): Promise<true | null> {
  const answer: unknown = await client.cancelOrder({ orderID });
  return typeof answer === 'object' && answer !== null && 'canceled' in answer ? true : null;
}

function reportOf(
  venue: ReturnType<typeof readVenueOrders>,
  traders: readonly Trader[],
  reported: ReadonlyMap<Request, string | null>,
): OfficialReport {
  const outcomes = [...reported].map(([request, orderId]) => {
    const orders = venue.of(traders[request.who]?.maker ?? asId<Address>('0x0'), request);
    const ids = orders.map(({ order }): string => order.orderId);
    return { orders, isKnown: orderId === null ? ids.length === 0 : ids.includes(orderId) };
  });
  return {
    requests: outcomes.length,
    taken: outcomes.filter(({ orders }) => orders.length > 0).length,
    duplicates: outcomes.reduce((sum, { orders }) => sum + Math.max(0, orders.length - 1), 0),
    lost: outcomes.filter(({ isKnown }) => !isKnown).length,
    leftOpen: outcomes.reduce(
      (sum, { orders }) => sum + orders.filter(({ status }) => status === 'LIVE').length,
      0,
    ),
  };
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}
