import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { asId, type OrderId, type TokenId } from '../../../src/domain/ids.ts';
import { formatMicros, formatPrice, priceTicks } from '../../../src/domain/units.ts';
import type { BookLevel } from '../../../src/domain/book.ts';
import type { ExchangeMarket } from '../../../src/sandbox/engine/exchange-types.ts';
import { API } from '../../../config/limits/api.ts';
import { signUp, type Person } from '../users.ts';
import { openEnvironment, type Environment } from '../environment.ts';
import { MAKER, openMarkets } from '../requests.ts';
import { createReader } from './reader.ts';
import { wireBook, type ReadersAnswer, type ReadersOrder, type WireBook } from './readers-child.ts';

/** How large a load is. */
export interface SocketLoadSize {
  readonly sockets: number;
  /** Times all are cut and come back. */
  readonly rounds: number;
}

/** One time that all came back. */
interface Return {
  /** From the moment all were cut until half, nearly all, and all had whole books again, ms. */
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly allMs: number;
  /** Processor time the daemon used meanwhile, ms. */
  readonly serverMs: number;
}

/** What a load left. */
export interface SocketLoadReport {
  readonly sockets: number;
  readonly returns: readonly Return[];
  /** Readers whose every book was the server's and the venue's after the last return. */
  readonly equal: number;
  /** Changes that did not follow on those before them. */
  readonly holes: number;
  readonly example: string | null;
}

const CHILDREN = 2;
/** Books change this often while sockets come and go. */
const CHANGE_EVERY_MS = 250;
const POLL_MS = 50;
const LOADER = pathToFileURL(
  fileURLToPath(new URL('../../support/typescript-loader.mjs', import.meta.url)),
).href;
const CHILD = fileURLToPath(new URL('./readers-child.ts', import.meta.url));

/**
 * Thousands read books of a running daemon, are all cut at once and come back at once, while the
 * books change; then everybody's book is compared.
 */
export async function liveThroughSocketLoad(
  { sockets, rounds }: SocketLoadSize,
  tell: (line: string) => void = () => undefined,
): Promise<SocketLoadReport> {
  const environment = await openEnvironment('sockets');
  const children: ChildProcess[] = [];
  try {
    const markets = openMarkets(environment.world.venues.venue_a.exchange);
    const people = await signUp(
      environment.service,
      Math.ceil(sockets / API.socketsPerUserMaximum),
    );
    const readers = Array.from({ length: sockets }, (_, index) => ({
      port: environment.service.target()?.port ?? 0,
      token: tokenOf(people, index),
      topics: topicsOf(markets[index % markets.length]),
    }));
    const share = Math.ceil(sockets / CHILDREN);
    for (let index = 0; index < CHILDREN; index += 1)
      children.push(fork(CHILD, { execArgv: ['--import', LOADER] }));
    const stopChanges = changeBooks(environment, markets);
    await Promise.all(
      children.map((child, index) =>
        ask(child, { kind: 'open', readers: readers.slice(index * share, (index + 1) * share) }),
      ),
    );
    tell(`${sockets} sockets are open`);
    const returns: Return[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = processMs(environment.service.pid());
      const answers = await Promise.all(children.map((child) => ask(child, { kind: 'reconnect' })));
      const tookMs = answers
        .flatMap((answer) => (answer.kind === 'reconnected' ? answer.tookMs : []))
        .sort((one, other) => one - other);
      const at = (part: number): number =>
        tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * part))] ?? Number.NaN;
      returns.push({
        medianMs: at(0.5),
        p99Ms: at(0.99),
        allMs: at(1),
        serverMs: processMs(environment.service.pid()) - before,
      });
      tell(`all are back after ${at(1).toFixed(0)} ms`);
    }
    stopChanges();
    return { sockets, returns, ...(await compareAll(environment, { children, markets, people })) };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await environment.close();
  }
}

function tokenOf(people: readonly Person[], index: number): string {
  return people[Math.floor(index / API.socketsPerUserMaximum)]?.token ?? '';
}

function topicsOf(market: ExchangeMarket | undefined): readonly string[] {
  return (market?.tokens ?? []).map((tokenId) => `orderbook:venue_a:${tokenId}`);
}

/**
 * The market maker lays one small bid after another at changing prices, and takes earlier ones
 * back.
 */
function changeBooks(
  {
    world: {
      venues: {
        venue_a: { exchange },
      },
    },
  }: Environment,
  markets: readonly ExchangeMarket[],
): () => void {
  let count = 0;
  const resting: OrderId[] = [];
  const timer = setInterval(() => {
    const market = markets[count % markets.length];
    if (market === undefined) return;
    const price = 1_000 + 100 * (count % 20);
    const shares = 10_000_000 + 1_000_000 * (count % 7);
    const orderId = asId<OrderId>(`0x${'cc'.repeat(28)}${String(count).padStart(8, '0')}`);
    exchange.place({
      orderId,
      maker: MAKER,
      owner: 'maker:load',
      tokenId: market.tokens[0],
      side: 'buy',
      timeInForce: 'GTC',
      price: priceTicks(price),
      makerMicros: (shares * price) / 10_000,
      takerMicros: shares,
      expiresAtMs: null,
      postOnly: true,
    });
    resting.push(orderId);
    if (resting.length > 12) exchange.cancel('maker:load', resting.shift() ?? orderId);
    count += 1;
  }, CHANGE_EVERY_MS);
  return () => clearInterval(timer);
}

/**
 * Waits until the daemon shows the venue's own books, and until every reader has them, as far as
 * they ever will.
 */
async function compareAll(
  environment: Environment,
  {
    children,
    markets,
    people,
  }: {
    readonly children: readonly ChildProcess[];
    readonly markets: readonly ExchangeMarket[];
    readonly people: readonly Person[];
  },
): Promise<Pick<SocketLoadReport, 'equal' | 'holes' | 'example'>> {
  const tokens = markets.flatMap((market) => market.tokens);
  const fresh = createReader({
    port: environment.service.target()?.port ?? 0,
    token: people.at(-1)?.token ?? '',
    topics: tokens.map((tokenId) => `orderbook:venue_a:${tokenId}`),
  });
  await fresh.open();
  while (
    tokens.some(
      (tokenId) =>
        !isVenues(environment, tokenId, fresh.books().get(`orderbook:venue_a:${tokenId}`)),
    )
  )
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  let last = '';
  for (;;) {
    const books = Object.fromEntries(
      [...fresh.books()].map(([topic, book]) => [topic, wireBook(book)]),
    );
    const answers = await Promise.all(
      children.map((child) => ask(child, { kind: 'compare', books })),
    );
    const compared = answers.flatMap((answer) => (answer.kind === 'compared' ? [answer] : []));
    const found = {
      equal: compared.reduce((sum, { equal }) => sum + equal, 0),
      holes: compared.reduce((sum, { holes }) => sum + holes, 0),
      example: compared.find(({ example }) => example !== null)?.example ?? null,
    };
    // What is under way arrives between two looks; what does not change any more is what is left.
    if (found.example === null || JSON.stringify(found) === last) {
      fresh.cut();
      return found;
    }
    last = JSON.stringify(found);
    await new Promise((resolve) => setTimeout(resolve, 20 * POLL_MS));
  }
}

function isVenues(
  { world }: Environment,
  tokenId: TokenId,
  book: Parameters<typeof wireBook>[0] | undefined,
): boolean {
  const { bids, asks } = world.venues.venue_a.exchange.book(tokenId);
  const side = (levels: readonly BookLevel[]): Map<string, string> =>
    new Map(levels.map(({ price, size }) => [formatPrice(price), formatMicros(size)]));
  const same = (one: WireBook, other: WireBook): boolean =>
    one.bids === other.bids && one.asks === other.asks;
  return (
    book !== undefined &&
    same(wireBook(book), wireBook({ epoch: 0, seq: 0, bids: side(bids), asks: side(asks) }))
  );
}

async function ask(child: ChildProcess, order: ReadersOrder): Promise<ReadersAnswer> {
  const answered = once(child, 'message');
  const ended = once(child, 'exit').then(() => {
    throw new Error('a process of readers has ended');
  });
  child.send(order);
  const [answer] = await Promise.race([answered, ended]);
  return answer as ReadersAnswer; // the child answers each order with one of these
}

/** Processor time a process has used, ms: clock ticks of a hundredth of a second (proc(5)). */
function processMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
