import type { CrashScenario } from './scenario.ts';
import { venueScenario } from './venue-scenario.ts';

const order = venueScenario('orders');

/**
 * Orders from request to end: each kind there is, alone, beside others, and through answers that
 * get lost.
 */
export const ORDER_SCENARIOS: readonly CrashScenario[] = [
  order('market-buy', ({ place, rest }) => [place('buy', { usdc: 5 }), rest()]),
  order('market-sale', ({ place, rest }) => [
    place('buy', { usdc: 8 }),
    rest(),
    place('sell', { side: 'sell', shares: 10 }),
    rest(),
  ]),
  order('resting-then-cancelled', ({ place, cancel, until, rest }) => [
    place('rest', { shares: 10, price: 4_500 }),
    until(10_000),
    cancel('rest'),
    rest(),
  ]),
  order('resting-then-filled', ({ place, once, until, rest }, stage) => [
    place('rest', { shares: 10, price: 4_900 }),
    until(10_000),
    once('sale', () =>
      stage.makerOrder({
        market: stage.round(0),
        outcome: 0,
        side: 'sell',
        price: 4_900,
        shares: 10,
        timeInForce: 'FAK',
      }),
    ),
    rest(),
  ]),
  order('resting-then-expired', ({ place, rest }) => [
    place('rest', { shares: 10, price: 4_500, expiresAfterMs: 200_000 }),
    rest(),
  ]),
  order(
    'two-users-at-once',
    ({ place, rest }) => [
      (life) =>
        Promise.all([
          place('one', { user: 0, usdc: 5 })(life),
          place('two', { user: 1, usdc: 6, outcome: 1 })(life),
        ]),
      rest(),
    ],
    { users: ['usr_ada', 'usr_bob'] },
  ),
  order('three-markets-at-once', ({ place, rest }) => [
    (life) =>
      Promise.all([
        place('one', { usdc: 5 })(life),
        place('two', { round: 1, usdc: 6 })(life),
        place('three', { round: 2, usdc: 7 })(life),
      ]),
    rest(),
  ]),
  order('answer-lost', ({ fault, place, rest }) => [
    fault('lost-ack', { times: 1 }),
    place('buy', { usdc: 5 }),
    rest(),
  ]),
  order('answer-late', ({ fault, place, rest }) => [
    fault('late-ack', { times: 1 }),
    place('rest', { shares: 10, price: 4_500, expiresAfterMs: 200_000 }),
    rest(),
  ]),
  order('signed-anew', ({ fault, place, rest }) => [
    fault('order-version-mismatch', { times: 1 }),
    place('buy', { usdc: 5 }),
    rest(),
  ]),
  order('turned-away-and-let-in', ({ fault, calm, place, rest }) => [
    fault('geoblocked'),
    place('refused', { usdc: 5 }),
    rest(),
    calm('geoblocked'),
    place('buy', { usdc: 6 }),
    rest(),
  ]),
  order('turned-away-until-it-is-over', ({ fault, calm, place, until, rest }) => [
    fault('geoblocked'),
    place('refused', { usdc: 5 }),
    rest(),
    until(120_000),
    calm('geoblocked'),
    until(200_000),
    place('buy', { usdc: 6 }),
    rest(),
  ]),
  // Refused for as long as it is asked: a request whose first copy was refused unheard is sent
  // again after a start, and must be refused again.
  order('refused-by-the-venue', ({ fault, calm, place, rest }) => [
    fault('success-without-id'),
    place('buy', { usdc: 5 }),
    rest(),
    calm('success-without-id'),
    place('again', { usdc: 5 }),
    rest(),
  ]),
];
