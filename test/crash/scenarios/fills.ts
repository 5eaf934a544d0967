import type { CrashScenario, Step } from './scenario.ts';
import { venueScenario } from './venue-scenario.ts';
import type { VenueLife, VenueStage } from './venue-stage.ts';
import type { VenueSteps } from './venue-steps.ts';

const fill = venueScenario('fills');

/** The market maker sells `shares` of the first round's Up to whoever bids 0.49. */
function sold({ once }: VenueSteps, stage: VenueStage, shares: number): Step<VenueLife> {
  return once(`sale of ${shares}`, () =>
    stage.makerOrder({
      market: stage.round(0),
      outcome: 0,
      side: 'sell',
      price: 4_900,
      shares,
      timeInForce: 'FAK',
    }),
  );
}

const BID = { shares: 20, price: 4_900, expiresAfterMs: 200_000 };

/** Fills: in parts, by every kind of match, doubled, split, late and early. */
export const FILL_SCENARIOS: readonly CrashScenario[] = [
  fill('part-then-cancelled', (steps, stage) => [
    steps.place('rest', BID),
    steps.until(5_000),
    sold(steps, stage, 8),
    steps.until(10_000),
    steps.cancel('rest'),
    steps.rest(),
  ]),
  fill('three-parts', (steps, stage) => [
    steps.place('rest', BID),
    steps.until(5_000),
    sold(steps, stage, 5),
    steps.until(10_000),
    sold(steps, stage, 6),
    steps.until(20_000),
    sold(steps, stage, 9),
    steps.rest(),
  ]),
  fill('filled-by-a-mint', ({ place, once, until, rest }, stage) => [
    place('rest', BID),
    until(5_000),
    once('buyer of Down', () =>
      stage.makerOrder({
        market: stage.round(0),
        outcome: 1,
        side: 'buy',
        price: 5_100,
        shares: 20,
        timeInForce: 'FAK',
      }),
    ),
    rest(),
  ]),
  fill('fill-races-cancel', ({ place, fault, until, cancel, rest }) => [
    place('rest', BID),
    until(5_000),
    fault('fill-races-cancel', { times: 1 }),
    cancel('rest'),
    rest(),
  ]),
  fill('reported-before-the-answer', ({ fault, place, rest }) => [
    fault('trade-before-response', { times: 1 }),
    place('buy', { usdc: 6 }),
    rest(),
  ]),
  fill('split-match', ({ fault, place, rest }) => [
    fault('split-match', { times: 1 }),
    place('buy', { usdc: 9 }),
    rest(),
  ]),
  fill('reported-twice', ({ fault, place, rest }) => [
    fault('duplicate-trade'),
    place('buy', { usdc: 6 }),
    rest(),
  ]),
  fill('not-reported', ({ fault, place, rest }) => [
    fault('dropped-user-events', { times: 2 }),
    place('buy', { usdc: 6 }),
    rest(),
  ]),
  fill('sold-in-two', ({ place, rest }) => [
    place('buy', { usdc: 10 }),
    rest(),
    place('half', { side: 'sell', shares: 8 }),
    place('more', { side: 'sell', shares: 6 }),
    rest(),
  ]),
];
