import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { reportToConsole } from '../../../src/app/console-reporter.ts';
import type { Market } from '../../../src/domain/market.ts';
import { PUSH_SUBSCRIPTIONS } from '../../../src/services/notifications/tables.ts';
import { aMarketBuy } from '../builders.ts';
import { enableAgent, startAgents, type AgentsLife } from './agents-world.ts';
import { aRoundMarket, freshRound, turnedRound } from './round-views.ts';
import { aWorld, type World } from './trading-world.ts';

/** What an attacker made a market's words. */
export interface MarketWords {
  readonly question: string;
  readonly labels: readonly [string, string];
  readonly slug: string;
}

/** A day of a user on a market of these words, and what it left. */
export interface LivedDay {
  readonly world: World;
  readonly market: Market;
  readonly store: MemoryStore;
  readonly life: AgentsLife;
  /** Lines the terminal was shown. */
  readonly story: readonly string[];
}

/**
 * Lives through an entry, a sale and a result of the BTC 5-minute agent on a market of the given
 * words; everything else is always the same.
 */
export async function liveOn({ question, labels, slug }: MarketWords): Promise<LivedDay> {
  const plain = aRoundMarket(1);
  const [up, down] = plain.outcomes;
  const market: Market = {
    ...plain,
    question,
    slug,
    outcomes: [
      { ...up, label: labels[0] },
      { ...down, label: labels[1] },
    ],
  };
  const world = aWorld(100_000_000, [market, aRoundMarket(2)]);
  const store = createMemoryStore();
  const life = await startAgents(world, store);
  const story: string[] = [];
  reportToConsole({
    bus: life.bus,
    store,
    clock: world.clock,
    print: (line) => void story.push(line),
    nameOf: () => null,
    marketOf: () => market,
  });
  await life.commit((tx) =>
    tx.put(PUSH_SUBSCRIPTIONS, [world.user, 'sub_a'], {
      userId: world.user,
      subscriptionId: 'sub_a',
      host: 'push.example',
      endpointDigest: 'a',
      sealed: '',
      vapidKey: '',
      createdAtMs: 0,
    }),
  );
  await life.funding.syncDeposits(world.user);
  await world.clock.advance(60_000);
  await enableAgent(life, world.user);
  for (const view of [freshRound, turnedRound]) {
    for (let showing = 0; showing < 8; showing += 1) {
      life.signals.show({ ...view(world.clock.nowMs()), market });
      await world.clock.advance(2_000);
    }
  }
  const manual = life.orders.place(world.user, aMarketBuy({ marketId: market.marketId }));
  await world.clock.advance(300_000);
  await manual;
  world.venue.resolve(market.marketId, [10_000, 0]);
  life.resolutionHint(market.marketId);
  await world.clock.advance(30_000);
  await life.agents.stop();
  await life.orders.stop();
  return { world, market, store, life, story };
}
