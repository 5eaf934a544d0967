import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import { asId, type Address } from '../../../domain/ids.ts';
import type { Clock } from '../../../ports/clock.ts';
import { everyTick } from '../../ticks.ts';
import type { Exchange } from '../exchange-types.ts';
import { hashedNormal, hashedUniform, streamOf } from '../../hashed-chance.ts';
import type { Listing } from '../listing.ts';
import { fund, orderNumbers, placeMakerOrder } from './market-maker.ts';

/** Addresses of the noise traders; the last is the one that trades big. */
const TRADER_ADDRESSES: readonly Address[] = [2, 3, 4, 5, 6].map((number) =>
  asId<Address>(`0x100000000000000000000000000000000000000${number}`),
);

const OWNER = 'maker-trader';
const STEP_MS = 1_000;
/** Chance of a trade per second in a running window and in any other market. */
const RUNNING_CHANCE = 0.3;
const QUIET_CHANCE = 0.01;
/** One trade in so many is a whale's. */
const WHALE_ONE_IN = 80;
const USUAL_SHARES = 25;
const WHALE_SHARES = 9_000;
/** Cents beyond the best price that a trade may sweep. */
const USUAL_SWEEP_CENTS = 1;
const WHALE_SWEEP_CENTS = 8;

/**
 * Makes the small and the few large trades that a live market shows. They buy either outcome at the
 * best price, blindly.
 */
export function startNoiseTraders({
  clock,
  exchange,
  seed,
  listings,
}: {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly seed: number;
  readonly listings: () => readonly Listing[];
}): {
  stop(): void;
} {
  const orderIdOf = orderNumbers(clock.nowMs(), 1);
  const tick = everyTick(clock, { stepMs: STEP_MS, delayMs: 0 }, (second) => {
    const nowMs = clock.nowMs();
    let isNeeded = false;
    for (const listing of listings()) {
      const { market, window } = listing;
      if (listing.ending !== null || nowMs >= market.endsAtMs) continue;
      isNeeded = true;
      if (nowMs < listing.hydratedAtMs) continue;
      const stream = streamOf(market.slug) + 7;
      const isRunning = window !== null && nowMs >= window.startsAtMs;
      if (hashedUniform(seed, stream, second) > (isRunning ? RUNNING_CHANCE : QUIET_CHANCE))
        continue;
      const outcome = hashedUniform(seed, stream + 1, second) < 0.5 ? 0 : 1;
      const best = exchange.book(market.tokens[outcome]).asks[0];
      if (best === undefined) continue;
      const isWhale = hashedUniform(seed, stream + 2, second) < 1 / WHALE_ONE_IN;
      const shares = Math.max(
        SANDBOX.traderSharesMinimum,
        Math.round(
          (isWhale ? WHALE_SHARES : USUAL_SHARES) *
            Math.exp(hashedNormal(seed, stream + 3, second)),
        ),
      );
      const cents = Math.min(
        99,
        Math.ceil(best.price / 100) + (isWhale ? WHALE_SWEEP_CENTS : USUAL_SWEEP_CENTS),
      );
      if (cents * shares < 100) continue;
      const address = isWhale
        ? TRADER_ADDRESSES.at(-1)
        : TRADER_ADDRESSES[
            Math.floor(hashedUniform(seed, stream + 4, second) * (TRADER_ADDRESSES.length - 1))
          ];
      if (address === undefined) continue;
      fund(exchange, address);
      placeMakerOrder(exchange, {
        orderId: orderIdOf(),
        owner: OWNER,
        address,
        tokenId: market.tokens[outcome],
        cents,
        shares,
        timeInForce: 'FAK',
      });
    }
    if (!isNeeded) tick.rest();
  });
  const unsubscribe = exchange.subscribe((event) => {
    if (event.kind === 'market_listed') tick.wake();
  });
  return {
    stop() {
      tick.cancel();
      unsubscribe();
    },
  };
}
