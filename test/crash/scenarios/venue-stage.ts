import { watchUser } from '../../support/watched-users.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import {
  createDirectService,
  type DirectService,
  type DirectUser,
} from '../../../src/tools/replay/direct-service.ts';
import { assert } from '../../../src/domain/errors.ts';
import { asId, type Address, type OrderId, type UserId } from '../../../src/domain/ids.ts';
import type { TradeSide } from '../../../src/domain/order.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import type { StrategyTable } from '../../../src/domain/strategy/strategy-row.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { ExchangeMarket } from '../../../src/sandbox/engine/exchange-types.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { ROUND_SERIES } from '../../../src/sandbox/venues/venue-a/markets/rounds.ts';
import { createMortalClock } from '../../simulate/mortal-clock.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { leadingPrices } from './leading-prices.ts';
import type { Stage } from './scenario.ts';
import { venueBroken, venueEnd } from './venue-end.ts';
import { chainIds } from '../../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import {
  type WorldModel,
  startWorldModel,
} from '../../../src/sandbox/venues/venue-a/world-model.ts';

/** The whole service over the sandbox's models, in one of its lives. */
export interface VenueLife {
  readonly number: number;
  readonly service: DirectService;
  readonly log: ReturnType<typeof createKeptLog>;
  /** The stage's users, in order, once they are open. */
  users: readonly DirectUser[];
}

/** The venue, its markets and its market maker, which live on. */
export interface VenueStage extends Stage<VenueLife> {
  readonly model: WorldModel;
  /** The n-th five-minute round from the one that runs at the start. */
  round(index: number): ExchangeMarket;
  /** An order of the market maker: what users trade against. */
  makerOrder(order: {
    readonly market: ExchangeMarket;
    readonly outcome: OutcomeIndex;
    readonly side: TradeSide;
    readonly price: number;
    readonly shares: number;
    readonly timeInForce?: 'GTC' | 'FAK';
  }): void;
  /** What has happened in the world: a step that is repeated does not do it twice. */
  readonly happened: Set<string>;
}

/**
 * What a stage is set up with; the rest is one user with 200 USDC in a round quoted at 0.48 to
 * 0.52.
 */
export interface VenueStageOptions {
  readonly users?: readonly string[];
  readonly strategies?: StrategyTable;
  /** What prices gain a second, through all of the rounds; absent: they wander. */
  readonly gainPerSecond?: number;
}

/** Where the stage begins: twenty seconds into a round. */
export const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
const SEED = 11;
const HISTORY_SECONDS = 36_000;
const FUNDS = usdcMicros(200_000_000);
const MAKER = asId<Address>(`0x${'a1'.repeat(20)}`);
const LATENCY_MS = 20;
/** Long enough for every round of a scenario to be listed at its start. */
const LISTING_MS = 900_000;
const ROUNDS = 3;

/**
 * Opens the stage. Nothing in it is left to chance that a run could draw differently from another:
 * no makers, no traders but the users and the market maker.
 */
export async function openVenueStage({
  users = ['usr_ada'],
  strategies,
  gainPerSecond,
}: VenueStageOptions = {}): Promise<VenueStage> {
  const clock = createVirtualClock(START_MS);
  const keccak = await loadKeccak();
  const wandering = createPriceProcess(SEED, startingPrices(START_MS / 1_000 - HISTORY_SECONDS));
  const model = await startWorldModel({
    clock,
    seed: SEED,
    makers: false,
    prices:
      gainPerSecond === undefined
        ? wandering
        : leadingPrices(wandering, START_MS / 1_000, gainPerSecond),
    inferenceSkill: 0.9,
    foundedAtMs: START_MS,
    delays: { listingHorizonMs: LISTING_MS, hydrationDelayMs: 0, resolutionDelayMs: 5_000 },
    recorded: {
      series: ROUND_SERIES.filter(({ asset, minutes }) => asset === 'BTC' && minutes === 5),
      idsOf: (slug) => chainIds(keccak, conditionTerms(SEED), slug),
      knownPayout: () => null,
    },
  });
  let makerOrders = 0;
  const paid = new Set<string>();
  const stage: VenueStage = {
    clock,
    pace: 'clock',
    model,
    happened: new Set(),
    round(index) {
      const market = model.exchange.markets()[index];
      assert(market !== undefined, `round ${index} is listed`);
      return market;
    },
    makerOrder({ market, outcome, side, price, shares, timeInForce = 'GTC' }) {
      makerOrders += 1;
      const micros = Math.round(shares * 1_000_000);
      const usdc = Math.round((micros * price) / 10_000);
      const answer = model.exchange.place({
        orderId: asId<OrderId>(`0x${'ee'.repeat(28)}${String(makerOrders).padStart(8, '0')}`),
        maker: MAKER,
        owner: 'maker:crash',
        tokenId: market.tokens[outcome],
        side,
        timeInForce,
        price: priceTicks(price),
        makerMicros: side === 'buy' ? usdc : micros,
        takerMicros: side === 'buy' ? micros : usdc,
        expiresAtMs: null,
        postOnly: false,
      });
      assert(
        answer.kind !== 'rejected',
        `the market maker's order is taken: ${JSON.stringify(answer)}`,
      );
    },
    async begin(store, number, { death, lease }) {
      const mortal = createMortalClock(clock);
      const log = createKeptLog();
      const service = await createDirectService({
        model,
        clock: mortal,
        wayClock: wayOf(clock, death),
        seed: SEED,
        life: number,
        latencyMs: LATENCY_MS,
        books: 'direct',
        log,
        store,
        lease,
        ...(strategies === undefined ? {} : { strategies }),
      });
      death.addEventListener(
        'abort',
        () => {
          mortal.end();
          service.cut();
        },
        { once: true },
      );
      return { number, service, log, users: [] };
    },
    async start(life) {
      const { service } = life;
      const opened: DirectUser[] = [];
      for (const name of users) {
        const user = await service.openUser(name);
        if (!paid.has(name)) model.exchange.deposit(user.address, FUNDS);
        paid.add(name);
        opened.push(user);
      }
      life.users = opened;
      await service.core.start();
      for (const { userId } of opened) {
        watchUser(service.core.trading, userId);
        await service.core.trading.funding.syncDeposits(userId);
      }
    },
    bury: ({ service }) => void service.core.stop().catch(() => undefined),
    world: () => model.exchange.snapshot(),
    end: (store, life) => venueEnd(store, { service: life.service, model, users: life.users }),
    broken: (store, life) =>
      venueBroken(store, { service: life.service, model, users: life.users, log: life.log }),
    close: () => model.stop(),
  };
  stock(stage);
  return stage;
}

/**
 * Quotes of the market maker, the same in every run: a bid and an offer in each round, deeper ones
 * behind.
 */
function stock({ model, round, makerOrder }: VenueStage): void {
  model.exchange.deposit(MAKER, usdcMicros(100_000_000_000));
  for (let index = 0; index < ROUNDS; index += 1) {
    const market = round(index);
    model.exchange.split(MAKER, market.marketId, 10_000_000_000);
    makerOrder({ market, outcome: 0, side: 'sell', price: 5_200, shares: 1_000 });
    makerOrder({ market, outcome: 0, side: 'buy', price: 4_800, shares: 1_000 });
  }
}

/**
 * The way to the venue of a process that may die: what has left it arrives, nothing more leaves,
 * and no answer comes back.
 */
function wayOf(clock: Clock, death: AbortSignal): Clock {
  return {
    nowMs: () => clock.nowMs(),
    after: (delayMs, run) =>
      death.aborted ? { cancel: () => undefined } : clock.after(delayMs, run),
  };
}

/** The user of this place in the stage's list. */
export function userOf(life: VenueLife, index = 0): UserId {
  const user = life.users[index];
  assert(user !== undefined, `user ${index} is open`);
  return user.userId;
}
