import type { StopPolicy } from '../../../src/domain/agent.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import type { CrashScenario, Step } from './scenario.ts';
import { TIMED_STRATEGIES } from './strategies.ts';
import { venueScenario } from './venue-scenario.ts';
import { userOf, type VenueLife, type VenueStage } from './venue-stage.ts';
import type { VenueSteps } from './venue-steps.ts';

const AGENT = 'btc_5min';
const options = { strategies: TIMED_STRATEGIES };
const agent = venueScenario('agents');
const stop = venueScenario('stops');
const setting = venueScenario('settings');
const paper = venueScenario('paper');

/**
 * ms of the stage, which begins twenty seconds into the round: entered by now; and what turns, or
 * ends by itself, has.
 */
const ENTERED_MS = 30_000;
const TURNED_MS = 80_000;
/**
 * Of the second round, whose start the service sees: by now its lead has been plain for long, and
 * then it is over and paid.
 */
const JUDGED_MS = 480_000;
const PAID_MS = 640_000;
/**
 * Slower where a lead has to last unbroken: the price must not overtake what the network foretells
 * before it foretells anew.
 */
const GAINS: Readonly<Record<string, number>> = { inference_strike: 1e-5, max: 1e-5 };

function enabled(
  { insist }: VenueSteps,
  strategy: string,
  choice: { readonly onStop?: StopPolicy; readonly mode?: 'live' | 'paper' } = {},
): readonly Step<VenueLife>[] {
  return [
    insist((life) =>
      life.service.core.agents.updateSettings(userOf(life), AGENT, {
        minPositionSize: 2,
        avgPositionSize: 5,
        maxPositionSize: 20,
        strategy,
      }),
    ),
    insist((life) => life.service.core.agents.enable(userOf(life), AGENT, choice)),
  ];
}

function disabled({ insist }: VenueSteps): Step<VenueLife> {
  return insist((life) => life.service.core.agents.disable(userOf(life), AGENT));
}

function sale({ once }: VenueSteps, stage: VenueStage, shares: number): Step<VenueLife> {
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

/** Agents in a round: entries, exits, bids, and stops that leave, cancel or close. */
const AGENT_SCENARIOS: readonly CrashScenario[] = [
  agent(
    'entry-held',
    (steps) => [
      ...enabled(steps, 'early_hold'),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  agent(
    'entry-and-exit',
    (steps) => [
      ...enabled(steps, 'early_turn'),
      steps.until(TURNED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  agent(
    'entry-paid-out',
    (steps) => [
      ...enabled(steps, 'early_hold'),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.until(340_000),
      steps.rest(),
    ],
    options,
  ),
  agent(
    'bid-filled',
    (steps, stage) => [
      ...enabled(steps, 'bid_stays'),
      steps.until(ENTERED_MS),
      sale(steps, stage, 6),
      steps.until(40_000),
      sale(steps, stage, 20),
      steps.until(TURNED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  agent(
    'bid-taken-back',
    (steps) => [
      ...enabled(steps, 'bid_taken_back'),
      steps.until(TURNED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  agent(
    'bid-that-ends-itself',
    (steps) => [
      ...enabled(steps, 'bid_stays'),
      steps.until(TURNED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  agent(
    'agent-beside-a-hand',
    (steps) => [
      ...enabled(steps, 'early_hold'),
      steps.until(5_000),
      steps.place('hand', { usdc: 4, outcome: 1 }),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
];

/** The product's own strategies, each by what it reads: oracle, exchange, network and books. */
const STRATEGY_SCENARIOS: readonly CrashScenario[] = STRATEGIES.rows
  .filter(({ agentId }) => agentId === AGENT)
  .map(({ strategy }) =>
    agent(
      `entry-by-${strategy}`,
      (steps) => [
        ...enabled(steps, strategy),
        steps.until(JUDGED_MS),
        disabled(steps),
        steps.until(PAID_MS),
        steps.rest(),
      ],
      { gainPerSecond: GAINS[strategy] ?? 2e-5 },
    ),
  );

/** Stops of an agent, of a user, of the operator. */
const STOP_SCENARIOS: readonly CrashScenario[] = [
  stop(
    'agent-stop-keeps-its-bid',
    (steps) => [
      ...enabled(steps, 'bid_stays', { onStop: 'keep' }),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.until(TURNED_MS),
      steps.rest(),
    ],
    options,
  ),
  stop(
    'agent-stop-cancels-its-bid',
    (steps, stage) => [
      ...enabled(steps, 'bid_stays', { onStop: 'cancel_only' }),
      steps.until(ENTERED_MS),
      sale(steps, stage, 6),
      steps.until(40_000),
      disabled(steps),
      steps.until(TURNED_MS),
      steps.rest(),
    ],
    options,
  ),
  stop(
    'agent-stop-closes-its-position',
    (steps) => [
      ...enabled(steps, 'early_hold', { onStop: 'close' }),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.until(TURNED_MS),
      steps.rest(),
    ],
    options,
  ),
  stop(
    'all-agents-stop',
    (steps) => [
      ...enabled(steps, 'early_hold', { onStop: 'close' }),
      steps.until(ENTERED_MS),
      steps.insist((life) => life.service.core.agents.stopAll(userOf(life))),
      steps.until(TURNED_MS),
      steps.rest(),
    ],
    options,
  ),
  stop('user-stop-and-go', (steps) => [
    steps.place('rest', { shares: 10, price: 4_500 }),
    steps.insist((life) =>
      life.service.core.orders.setStop(
        { kind: 'user', userId: userOf(life) },
        true,
        'asked for',
        'keep',
      ),
    ),
    steps.place('refused', { usdc: 5 }, ['trading_stopped']),
    steps.cancel('rest'),
    steps.insist((life) =>
      life.service.core.orders.setStop({ kind: 'user', userId: userOf(life) }, false, 'asked for'),
    ),
    steps.place('buy', { usdc: 5 }),
    steps.rest(),
  ]),
  stop('operator-stop-with-a-sale', (steps) => [
    steps.place('buy', { usdc: 8 }),
    steps.rest(),
    steps.insist((life) => life.service.core.orders.setStop({ kind: 'all' }, true, 'kill switch')),
    steps.place('refused', { usdc: 5 }, ['trading_stopped']),
    steps.place('sell', { side: 'sell', shares: 10 }),
    steps.rest(),
  ]),
];

/** Settings of an agent, changed and changed again. */
const SETTING_SCENARIOS: readonly CrashScenario[] = [
  setting(
    'changed-while-it-trades',
    (steps) => [
      ...enabled(steps, 'early_hold'),
      steps.until(ENTERED_MS),
      steps.insist((life) =>
        life.service.core.agents.updateSettings(userOf(life), AGENT, {
          avgPositionSize: 9,
          maxPositionSize: 9,
          notifyOnTrade: false,
        }),
      ),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  setting('changed-in-a-row', ({ insist, rest }) => [
    ...[4, 6, 8].map((avgPositionSize) =>
      insist((life: VenueLife) =>
        life.service.core.agents.updateSettings(userOf(life), AGENT, {
          avgPositionSize,
          maxPositionSize: 20,
        }),
      ),
    ),
    insist((life) =>
      life.service.core.agents.updateSettings(userOf(life), 'eth_15min', { avgPositionSize: 5 }),
    ),
    rest(),
  ]),
  setting(
    'on-and-off-again',
    (steps) => [
      ...enabled(steps, 'early_hold'),
      disabled(steps),
      ...enabled(steps, 'bid_stays', { onStop: 'close' }),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
];

/** Agents that trade on paper: not a cent of it is real. */
const PAPER_SCENARIOS: readonly CrashScenario[] = [
  paper(
    'paper-entry-held',
    (steps) => [
      ...enabled(steps, 'early_hold', { mode: 'paper' }),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
  paper(
    'paper-then-live',
    (steps) => [
      ...enabled(steps, 'bid_stays', { mode: 'paper' }),
      steps.until(5_000),
      disabled(steps),
      ...enabled(steps, 'early_hold'),
      steps.until(ENTERED_MS),
      disabled(steps),
      steps.rest(),
    ],
    options,
  ),
];

/** Agents, their stops, their settings, and what they do on paper. */
export const AGENTS_SCENARIOS: readonly CrashScenario[] = [
  ...AGENT_SCENARIOS,
  ...STRATEGY_SCENARIOS,
  ...STOP_SCENARIOS,
  ...SETTING_SCENARIOS,
  ...PAPER_SCENARIOS,
];
