import { watchUser } from '../support/watched-users.ts';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { assert } from '../../src/domain/errors.ts';
import { priceTicks } from '../../src/domain/units.ts';
import { ORDERS } from '../../src/services/books/tables.ts';
import { numbered, type NumberedStore } from '../crash/support/numbered-store.ts';
import { openProcess, type VenueProcess } from '../support/worlds/venue-life.ts';
import { createVenueBWorld, type VenueBWorld } from '../support/worlds/venue-b-world.ts';
import type { Row } from './row.ts';

const WORK = 'limit of venue_b: book change to signed bytes, durable';
const ROUNDS = 60;
const WARM_UP = 20;
/** The order is met, filled and final before the next one rests. */
const SETTLED_MS = 30_000;
const LIMIT_MS = 600_000;
const FAR = { yes: { 3_000: 1_000 }, no: { 4_000: 1_000 } };
const MET = { yes: { 3_000: 1_000 }, no: { 6_000: 1_000 } };

/**
 * From a change of the book that meets a resting limit to its signed bytes on the disk: the frame,
 * the venue's book and offer, the trial of its transaction, the signature, the commit. The clock is
 * virtual, so nothing is waited for but work and the disk; the venue and its chain are in this
 * process, and what they take of it alone is shown beside it.
 */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'limit-trigger-'));
  const world = await createVenueBWorld();
  const disk = await openLmdbStore({ path: join(folder, 'store') });
  const store = numbered(disk, {
    isDead: () => false,
    isReplaced: () => false,
    before: () => 0,
    after,
    flushed: after,
  });
  const line = { world, store };
  try {
    const process = await openProcess([world], store, 'bench');
    await begin(line, process);
    const times: number[] = [];
    const venues: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const ours = await timeTrigger(line, process);
      const venue = await timeVenue(world);
      if (round < WARM_UP) continue;
      times.push(ours);
      venues.push(venue);
    }
    const body = store.range(ORDERS)[0]?.value.attempts[0]?.body ?? '';
    const append = timeAppend(join(folder, 'log'), body);
    await lived(line, process.core.stop());
    await process.closeVenues();
    const row = (share: number, name: string, figure: number): Row => ({
      work: `${WORK}, p${share * 100}`,
      ours: at(times, share),
      peer: { name, figure },
      unit: 'ms',
      bar: null,
    });
    const VENUE = 'the model venue and its chain at the same questions alone';
    return [
      row(0.5, VENUE, at(venues, 0.5)),
      row(0.9, VENUE, at(venues, 0.9)),
      row(0.5, 'append + fdatasync of the same bytes', at(append, 0.5)),
    ];
  } finally {
    await disk.close();
    world.close();
    rmSync(folder, { recursive: true });
  }
}

/** A world and the disk beside it. */
interface Line {
  readonly world: VenueBWorld;
  readonly store: NumberedStore;
}

function after(): void {
  // Nothing is cut here.
}

/** Passes time until something is so, and none while the disk is at work. */
async function passed({ world, store }: Line, isSo: () => boolean): Promise<void> {
  const untilMs = world.clock.nowMs() + LIMIT_MS;
  while (!isSo()) {
    assert(world.clock.nowMs() < untilMs, 'what is waited for comes');
    if (store.pending > 0) await new Promise((resolve) => setImmediate(resolve));
    else await world.clock.advanceUntil(() => isSo() || store.pending > 0, LIMIT_MS);
  }
}

async function lived<T>(line: Line, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => undefined);
  await passed(line, () => isDone);
  return done;
}

async function settled(line: Line): Promise<void> {
  const { clock } = line.world;
  const untilMs = clock.nowMs() + SETTLED_MS;
  await passed(line, () => clock.nowMs() >= untilMs);
}

async function begin(line: Line, { core, opened }: VenueProcess): Promise<void> {
  const { userId } = line.world;
  for (const [, venue] of opened) await lived(line, venue.accounts.open(userId));
  await lived(line, core.start());
  await lived(line, core.trading.funding.syncDeposits(userId));
  watchUser(core.trading, userId);
}

/** Rests a limit, has its price come, and gives the ms until its bytes are durable. */
async function timeTrigger(line: Line, { core, bus }: VenueProcess): Promise<number> {
  const { world } = line;
  const { direct, listing, market, userId } = world;
  const { model } = direct.venue;
  model.script(listing, { book: FAR });
  const { intent } = await lived(
    line,
    core.orders.place(userId, {
      venue: world.row.id,
      marketId: market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'shares', micros: 1_000_000 },
      type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null, untilCancelled: true },
      origin: { kind: 'manual' },
    }),
  );
  await settled(line);
  const heard = bus.entries.length;
  // A fact is published once it is durable.
  const isDurable = (): boolean =>
    bus.entries
      .slice(heard)
      .some(({ event }) => event.type === 'order.signed' && event.intentId === intent.intentId);
  const startedAt = performance.now();
  model.script(listing, { book: MET });
  await passed(line, isDurable);
  const tookMs = performance.now() - startedAt;
  await settled(line);
  return tookMs;
}

/** What the venue and its chain take of this process for the same answers, ms. */
async function timeVenue(world: VenueBWorld): Promise<number> {
  const { clock, direct, listing, wallet, market } = world;
  const { urls, transport } = direct;
  const ask = async (baseUrl: string, path: string, body?: string): Promise<string> => {
    const answer: { text: string | null } = { text: null };
    const calls = transport.calls({
      baseUrl,
      connectionsMaximum: 1,
      keepAliveMs: 1_000,
      connectTimeoutMs: 1_000,
      answerMaximumBytes: 1 << 20,
    });
    void calls
      .send({
        method: body === undefined ? 'GET' : 'POST',
        path,
        timeoutMs: 5_000,
        ...(body === undefined ? {} : { body }),
      })
      .then((outcome) => (answer.text = outcome.kind === 'answered' ? outcome.text : ''));
    await clock.advanceUntil(() => answer.text !== null, 5_000);
    return answer.text ?? '';
  };
  direct.venue.model.script(listing, { book: MET });
  const offer = new URLSearchParams({
    inputMint: urls.usdcMint,
    outputMint: String(market.outcomes[0].tokenId),
    amount: '650000',
    userPublicKey: wallet,
    slippageBps: '0',
    predictionMarketSlippageBps: '0',
    prioritizationFeeLamports: '100000',
  });
  const startedAt = performance.now();
  await ask(urls.metadataUrl, `/api/v1/orderbook/${listing.ticker}`);
  const { transaction } = JSON.parse(await ask(urls.tradeUrl, `/order?${offer}`)) as {
    readonly transaction: string; // the venue's own shape
  };
  await ask(urls.metadataUrl, `/api/v1/orderbook/${listing.ticker}`);
  await ask(
    urls.rpcUrl,
    '/',
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'simulateTransaction',
      params: [transaction, { encoding: 'base64', sigVerify: false, commitment: 'processed' }],
    }),
  );
  return performance.now() - startedAt;
}

function timeAppend(path: string, body: string): readonly number[] {
  assert(body !== '', 'an order was signed');
  const file = openSync(path, 'a');
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    writeSync(file, body);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return times;
}

function at(times: readonly number[], share: number): number {
  return (
    times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? Number.NaN
  );
}
