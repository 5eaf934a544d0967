import { watchUser } from '../../support/watched-users.ts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import type { VenueWorld } from '../../contracts/venue/fixture.ts';
import { runThrough, type CutPoint, type CutRun } from '../loads/crash-points.ts';
import { openProcess, type VenueProcess } from './venue-life.ts';

/** A process from before its venues are open. */
interface Life {
  readonly store: MemoryStore;
  process: VenueProcess | null;
}

/** What a user or the world does in a life at a venue; repeated when the power went meanwhile. */
export type LifeStep = (
  process: VenueProcess,
  world: VenueWorld,
  store: MemoryStore,
) => Promise<void>;

/** What a life at a venue came to. */
export type LivedThrough = { readonly world: VenueWorld } & CutRun<Life>;

/**
 * Has the user buy twenty shares of the first outcome at the market, unless changed. A caller who
 * repeats a call that was cut off does so with the same key.
 */
export function placing(idempotencyKey: string, change: Partial<PlaceOrder> = {}): LifeStep {
  return async ({ core }, { userId, market, row }) =>
    void (await core.orders.place(userId, {
      venue: row.id,
      marketId: market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'shares', micros: 20_000_000 },
      type: { kind: 'market' },
      origin: { kind: 'manual' },
      idempotencyKey,
      ...change,
    }));
}

/** Lets so much of the world's time pass, ms. */
export function passing(ms: number): LifeStep {
  return (_, { clock }) => new Promise((resolve) => void clock.after(ms, resolve));
}

/** Something the world does, however often the process that sees it is started. */
export function once(act: (world: VenueWorld) => void | Promise<void>): LifeStep {
  const done = new WeakMap<VenueWorld, void | Promise<void>>();
  return async (_, world) => {
    if (!done.has(world)) done.set(world, act(world));
    await done.get(world);
  };
}

/** Runs the steps at a venue, cuts the power at most once, and starts again on what was kept. */
export async function liveThrough(
  world: VenueWorld,
  steps: readonly LifeStep[],
  cut: CutPoint | null,
): Promise<LivedThrough> {
  async function start(life: Life, number: number): Promise<void> {
    const opened = await openProcess([world], life.store, `life-${number}`);
    life.process = opened;
    for (const [{ userId }, venue] of opened.opened) await venue.accounts.open(userId);
    await opened.core.start();
    watchUser(opened.core.trading, world.userId);
  }
  const ended = await runThrough<Life>(
    {
      clock: world.clock,
      begin(store, number) {
        const life: Life = { store, process: null };
        return { life, starting: start(life, number) };
      },
      die: ({ process }) => process?.die(),
      bury: async () => undefined,
      steps: steps.map((step) => ({ process, store }: Life) => {
        if (process === null) throw new Error('a life is lived once it has begun');
        return step(process, world, store);
      }),
    },
    cut,
  );
  return { world, ...ended };
}
