import { asId, type UserId } from '../../src/domain/ids.ts';
import { isTerminal } from '../../src/domain/order.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { createVenueCWorld, type VenueCWorld } from '../support/worlds/venue-c-world.ts';
import { judgeBooks, type BookVerdict } from './book-verdict.ts';
import type { ContractChaosSize } from './contracts.ts';
import {
  cancelled,
  every,
  lived,
  openStage,
  placed,
  restart,
  waited,
  type Stage,
} from './venue-stage.ts';

/** What came of it. */
export interface BookChaosReport {
  readonly verdict: BookVerdict;
  readonly kills: number;
  /** Faults that came to happen, each at least once. */
  readonly met: readonly FaultName[];
  /** Calls that were made again: asked to, or cut off by a kill. */
  readonly again: number;
}

/** What goes wrong at venue_c's order books and can reach an order. */
const BOOK_FAULTS: readonly FaultName[] = [
  'late-ack',
  'lost-ack',
  'retry-duplicated',
  'refused-silently',
  'bad-gateway',
  'rate-limited',
  'rate-limited-html',
  'engine-restart',
  'stale-timestamp',
  'stale-signature',
  'delayed-then-matched',
  'ghost-fill',
  'retrying-then-confirmed',
  'socket-dropped',
  'doubled-frames',
  'missing-frames',
];
const FAULT_EVERY_MS = 2_000;
const BOOK_EVERY_MS = 3_000;
const HOURS_MS = 100 * 3_600_000;
const REST_MS = 2 * 3_600_000;
/** What became of a trade behind others is known by then. */
const AFTERWARDS_MS = 1_200_000;
const SHARE = 1_000_000;

/**
 * Has people trade at venue_c's books through its faults and kills of the service, all drawn from
 * the seed and on the virtual clock; then compares what callers were answered, what is stored and
 * what the venue has.
 */
export async function liveThroughBooks(
  { intents, people, kills, seed }: ContractChaosSize,
  tell: (line: string) => void = () => undefined,
): Promise<BookChaosReport> {
  const others = Array.from({ length: people - 1 }, (_, index) =>
    asId<UserId>(`usr_other_${index + 1}`),
  );
  const world = await createVenueCWorld(others);
  const { clock, faults } = world;
  const met = noteFaults(faults);
  const stage = openStage(world, [world.userId, ...others], `${seed}:books`);
  const { random, users } = stage;
  const stopBook = every(stage, BOOK_EVERY_MS, () => quote(stage));
  const stopFaults = every(stage, FAULT_EVERY_MS, () => goWrong(stage));
  const killEvery = Math.ceil(intents / (kills + 1));
  const answered = (): void => {
    if (stage.reported.size % killEvery !== 0 || stage.reported.size === intents) return;
    tell(`${stage.reported.size} intents answered, the service is killed`);
    clock.after(random.integer(3_000), () => restart(stage));
  };
  const callers = users.map((userId, who) =>
    call(stage, { userId, count: Math.ceil((intents - who) / people), answered }),
  );
  await lived(world, Promise.all(callers), HOURS_MS);
  stopFaults();
  faults.clearAll();
  stopBook();
  await comeToRest(stage);
  const verdict = await judgeBooks(stage);
  const last = stage.life;
  await lived(world, Promise.resolve(last?.process.core.stop()), REST_MS);
  await last?.process.closeVenues();
  world.close();
  return { verdict, kills: stage.lives - 1, met: [...met], again: stage.again };
}

type BookStage = Stage<VenueCWorld>;

/** One person: orders one after another, asked for under one key until answered. */
async function call(
  stage: BookStage,
  {
    userId,
    count,
    answered,
  }: { readonly userId: UserId; readonly count: number; readonly answered: () => void },
): Promise<void> {
  const { random, world, reported } = stage;
  await waited(world, 5_000 + random.integer(5_000));
  for (let number = 0; number < count; number += 1) {
    const key = `${userId} ${number}`;
    const wanted = draw(stage, userId, key);
    const answer = await placed(stage, userId, wanted);
    reported.set(key, answer);
    answered();
    if (answer.kind === 'order' && wanted.type.kind === 'limit' && random.integer(3) === 0) {
      await waited(world, random.integer(20_000));
      await cancelled(stage, userId, answer.intentId);
    }
    await waited(world, random.integer(4_000));
  }
}

function draw({ random, world, life }: BookStage, userId: UserId, key: string): PlaceOrder {
  const outcome = random.integer(3) === 0 ? 1 : 0;
  const { marketId } = world.market;
  const held =
    life?.process.core.trading.portfolio
      .holdings(userId, { type: 'open', marketId })
      .find(({ position }) => position.outcome === outcome)?.settledShares ?? 0;
  const shares = (1 + random.integer(6)) * SHARE;
  const lot = random.integer(10);
  const side = held >= SHARE && (lot < 4 || held > 40 * SHARE) ? 'sell' : 'buy';
  const micros = side === 'sell' ? Math.floor(Math.min(held, shares) / 1_000) * 1_000 : shares;
  const price = priceTicks(
    (side === 'buy' ? 46 + random.integer(8) : 44 + random.integer(8)) * 100,
  );
  return {
    venue: world.row.id,
    marketId,
    outcome,
    side,
    amount: { unit: 'shares', micros },
    type:
      lot > 6
        ? {
            kind: 'limit',
            price,
            expiresAtMs: world.clock.nowMs() + 20_000 + random.integer(120_000),
          }
        : { kind: 'market' },
    origin: { kind: 'manual' },
    idempotencyKey: key,
  };
}

/** A book that moves by a cent or two, and takes what rests within it, in several trades. */
function quote({ world, random }: BookStage): void {
  const [{ tokenId }] = world.market.outcomes;
  const middle = 4_800 + 100 * random.integer(4);
  for (const [side, price] of [
    ['sell', middle + 100],
    ['buy', middle - 100],
  ] as const) {
    const shares = 1 + random.integer(12);
    world.take({ tokenId, side: side === 'sell' ? 'buy' : 'sell', price, shares });
    world.quote({ tokenId, side, price, shares: 20 });
  }
}

function goWrong({ world, random }: BookStage): void {
  const name = BOOK_FAULTS[random.integer(BOOK_FAULTS.length)] ?? 'lost-ack';
  const lasts = random.integer(4) === 0;
  world.faults.arm(name, lasts ? { percent: 60 } : { times: 1 + random.integer(3) });
  world.clock.after(1_000 + random.integer(12_000), () => world.faults.clear(name));
}

async function comeToRest(stage: BookStage): Promise<void> {
  const { world, users } = stage;
  await world.clock.advanceUntil(() => stage.life !== null, REST_MS);
  const core = stage.life?.process.core;
  for (const userId of users)
    for (const { intent } of core?.orders.listOpen(userId) ?? [])
      await lived(
        world,
        core?.orders.cancel(userId, intent.intentId).catch(() => undefined) ??
          Promise.resolve(undefined),
        REST_MS,
      );
  await world.clock.advanceUntil(
    () =>
      users.every(
        (userId) =>
          core !== undefined &&
          core.orders.listOpen(userId).every(({ state }) => isTerminal(state)) &&
          core.trading.portfolio.cash(userId, 'usdc:base').provisional === 0,
      ),
    REST_MS,
  );
  await world.clock.advance(AFTERWARDS_MS);
}
