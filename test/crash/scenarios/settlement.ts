import type { CrashScenario, Step } from './scenario.ts';
import { venueScenario } from './venue-scenario.ts';
import type { VenueLife } from './venue-stage.ts';
import type { VenueSteps } from './venue-steps.ts';

const settle = venueScenario('settlement');

/** The first round has ended, and its result was published long ago. */
const RESOLVED_MS = 340_000;

function resolved({ until, rest }: VenueSteps): readonly Step<VenueLife>[] {
  return [until(RESOLVED_MS), rest()];
}

/** What becomes of matched trades, and of shares when their round ends. */
export const SETTLEMENT_SCENARIOS: readonly CrashScenario[] = [
  settle('up-and-down-of-a-round', (steps) => [
    steps.place('up', { usdc: 5 }),
    steps.place('down', { usdc: 7, outcome: 1 }),
    ...resolved(steps),
  ]),
  settle('bid-in-a-round-that-ends', (steps) => [
    steps.place('rest', { shares: 10, price: 4_500 }),
    steps.place('up', { usdc: 4 }),
    ...resolved(steps),
  ]),
  settle(
    'two-users-of-a-round',
    (steps) => [
      (life) =>
        Promise.all([
          steps.place('one', { user: 0, usdc: 5 })(life),
          steps.place('two', { user: 1, usdc: 6, outcome: 1 })(life),
        ]),
      ...resolved(steps),
    ],
    { users: ['usr_ada', 'usr_bob'] },
  ),
  settle('result-not-published', (steps) => [
    steps.fault('market-resolved-silently'),
    steps.place('up', { usdc: 5 }),
    steps.place('down', { usdc: 5, outcome: 1 }),
    ...resolved(steps),
  ]),
  settle('ghost-purchase', ({ fault, place, rest }) => [
    fault('ghost-fill', { times: 1 }),
    place('buy', { usdc: 5 }),
    rest(),
  ]),
  settle('ghost-sale', ({ fault, place, rest }) => [
    place('buy', { usdc: 8 }),
    rest(),
    fault('ghost-fill', { times: 1 }),
    place('sell', { side: 'sell', shares: 10 }),
    rest(),
  ]),
  settle('retried-on-chain', ({ fault, place, rest }) => [
    fault('retrying-then-confirmed', { times: 1 }),
    place('buy', { usdc: 5 }),
    rest(),
  ]),
  settle('old-word-after-the-last', ({ fault, place, rest }) => [
    fault('confirmed-then-replayed-matched', { times: 1 }),
    place('buy', { usdc: 5 }),
    rest(),
  ]),
];
