import { watchUser } from '../../support/watched-users.ts';
import { readTokenData } from '../../../src/sandbox/chains/solana/token-layout.ts';
import { accountOf } from '../../../src/sandbox/chains/solana/instructions.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { isTerminal, type OrderRecord } from '../../../src/domain/order.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { USDC } from '../../../src/sandbox/venues/venue-b/chain/settlement.ts';
import {
  BALANCES,
  FILLS,
  ORDER_KEYS,
  ORDERS,
  POSITIONS,
} from '../../../src/services/books/tables.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import { openProcess, type VenueProcess } from '../../support/worlds/venue-life.ts';
import { createVenueBWorld, type VenueBWorld } from '../../support/worlds/venue-b-world.ts';
import { sorted } from './canonical-order.ts';
import type { Stage, Step } from './scenario.ts';

/** The whole service at venue_b, in one of its lives. */
export interface ContractLife {
  readonly process: VenueProcess;
}

/** venue_b with a chain of its own, which lives on. */
export interface ContractStage extends Stage<ContractLife> {
  readonly venue: VenueBWorld;
  /** What has happened in the world: a step that is repeated does not do it twice. */
  readonly happened: Set<string>;
}

/** A person repeats a call this long after a refusal that asks for it. */
const AGAIN_MS = 500;
/** What is reported of trades after they are final comes in this. */
const FINAL_MS = 20_000;

/** Opens the stage: a user with a thousand USDC before an empty book. */
export async function openContractStage(): Promise<ContractStage> {
  const venue = await createVenueBWorld();
  const { clock, direct, userId } = venue;
  return {
    clock,
    pace: 'clock',
    venue,
    happened: new Set(),
    async begin(store, number, { death }) {
      const process = await openProcess([venue], store, `life-${number}`);
      death.addEventListener('abort', () => process.die(), { once: true });
      return { process };
    },
    async start({ process: { core, opened } }) {
      for (const [, { accounts }] of opened) await accounts.open(userId);
      await core.start();
      await core.trading.funding.syncDeposits(userId);
      watchUser(core.trading, userId);
    },
    bury: () => undefined,
    world: () => ({
      landed: [...direct.chain.transactionsOf(venue.wallet)].map(({ signature }) => signature),
      backing: direct.venue.settlement.backing(venue.listing),
    }),
    end: (store) => endOf(store, venue),
    broken: (store, life) => [
      ...brokenLaws(store, userId),
      ...walletDiffers(store, venue),
      ...life.process.log.lines
        .filter(({ level }) => level === 'error')
        .map(({ event, fields }) => `error ${event} ${JSON.stringify(fields)}`),
    ],
    close: () => venue.close(),
  };
}

/** Books and wallet, without drawn ids and times. */
function endOf(store: Store, { direct, listing, wallet }: VenueBWorld): unknown {
  const keys = new Map(store.range(ORDER_KEYS).map(({ key, value }) => [value.intentId, key[1]]));
  return {
    orders: sorted(
      store
        .range(ORDERS)
        .map(({ value: { intent, state, filledShares, filledUsdc, reserved } }) => ({
          key: keys.get(intent.intentId) ?? null,
          side: intent.side,
          life: intent.life,
          state,
          filledShares,
          filledUsdc,
          reserved,
        })),
    ),
    fills: sorted(
      store.range(FILLS).map(({ value: { side, shares, usdc, fee, settlement } }) => ({
        side,
        shares,
        usdc,
        fee,
        settlement,
      })),
    ),
    positions: store
      .range(POSITIONS)
      .map(({ value: { tokenId, state, shares, costUsdc, realizedPnl } }) => ({
        tokenId,
        state,
        shares,
        costUsdc,
        realizedPnl,
      })),
    balances: store.range(BALANCES).map(({ key, value }) => ({ key, value })),
    openings: [...direct.chain.transactionsOf(wallet)].length,
    backing: direct.venue.settlement.backing(listing),
  };
}

/** Cash and winning contracts, by the books and in the wallet, to the atom. */
function walletDiffers(store: Store, { direct, listing, wallet, userId }: VenueBWorld) {
  const { settlement, model } = direct.venue;
  const held = (token: Parameters<typeof accountOf>[1]): number => {
    const account = direct.chain.account(accountOf(wallet, token));
    const data = account === null ? null : readTokenData(account.data);
    return data?.kind === 'account' ? Number(data.amount) : 0;
  };
  const { result } = model.state(listing);
  const sides = (['yes', 'no'] as const).filter((side) => result === null || result === side);
  const pairs = [
    { asset: 'usdc:solana', token: USDC },
    ...sides.map((side) => {
      const token = settlement.outcome(listing, side);
      return { asset: String(token.mint), token };
    }),
  ];
  return pairs.flatMap(({ asset, token }) => {
    const { settled, provisional } = balanceOf(
      store,
      userId,
      asset as Parameters<typeof balanceOf>[2], // an account of cash, or a token by its mint
    );
    return settled === held(token) && provisional === 0
      ? []
      : [`${asset}: ${settled} and ${provisional} not final, in the wallet ${held(token)}`];
  });
}

/** What a person and the world do on a stage. */
export interface ContractSteps {
  /** Orders twenty contracts of Yes at the market, unless changed, under a key. */
  place(key: string, change?: Partial<PlaceOrder>): Step<ContractLife>;
  cancel(key: string): Step<ContractLife>;
  /** Another trader bids for contracts of Yes, or offers them, once. */
  quote(side: 'buy' | 'sell', price: number, shares: number): Step<ContractLife>;
  once(name: string, happen: () => void): Step<ContractLife>;
  pass(ms: number): Step<ContractLife>;
  /** Lets time pass until nothing is on its way any more; what rests may go on resting. */
  rest(): Step<ContractLife>;
  /** Yes has won: waits until it is paid. */
  paid(): Step<ContractLife>;
}

/** The steps of a stage. */
export function contractStepsOn({ venue, happened }: ContractStage): ContractSteps {
  const { clock, userId, market } = venue;
  const passed = (ms: number): Promise<void> =>
    new Promise((resolve) => void clock.after(ms, resolve));
  const once =
    (name: string, happen: () => void): Step<ContractLife> =>
    async () => {
      if (!happened.has(name)) happen();
      happened.add(name);
    };
  const made = new Map<string, OrderRecord['intent']['intentId']>();

  async function insisted<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof AppError) || !error.retryable) throw error;
        await passed(AGAIN_MS);
      }
    }
  }
  const isMoving = ({ process: { core } }: ContractLife): boolean =>
    core.orders.listOpen(userId).some(({ state }) => !isTerminal(state) && state !== 'live') ||
    core.trading.portfolio.cash(userId, 'usdc:solana').provisional !== 0;
  return {
    place:
      (key, change = {}) =>
      async ({ process: { core } }) => {
        const { intent } = await insisted(() =>
          core.orders.place(userId, {
            venue: venue.row.id,
            marketId: market.marketId,
            outcome: 0,
            side: 'buy',
            amount: { unit: 'shares', micros: 20_000_000 },
            type: { kind: 'market' },
            origin: { kind: 'manual' },
            idempotencyKey: key,
            ...change,
          }),
        );
        made.set(key, intent.intentId);
      },
    cancel:
      (key) =>
      async ({ process: { core } }) => {
        const intentId = made.get(key);
        if (intentId === undefined) throw new Error(`${key} was ordered`);
        const order = core.orders.get(userId, intentId);
        if (order !== null && !isTerminal(order.state))
          await insisted(() => core.orders.cancel(userId, intentId));
      },
    quote: (side, price, shares) =>
      once(`${side} ${price}`, () =>
        venue.quote({ tokenId: market.outcomes[0].tokenId, side, price, shares }),
      ),
    once,
    pass: (ms) => () => passed(ms),
    rest: () => async (life) => {
      while (isMoving(life)) await passed(AGAIN_MS);
      await passed(FINAL_MS);
      while (isMoving(life)) await passed(AGAIN_MS);
    },
    paid: () => async (life) => {
      const { trading } = life.process.core;
      trading.resolutionHint(market.marketId);
      const holds = (): boolean =>
        trading.portfolio.holdings(userId, { type: 'open', marketId: market.marketId }).length > 0;
      while (holds() || isMoving(life)) await passed(AGAIN_MS);
      await passed(FINAL_MS);
    },
  };
}
