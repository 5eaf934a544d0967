import { z } from 'zod';
import { AGENT } from '../../../config/limits.ts';
import {
  AGENT_MODES,
  AGENT_PROFILES,
  STOP_POLICIES,
  type AgentMode,
  type StopPolicy,
} from '../../domain/agent.ts';
import { AGENT_IDS, type AgentId } from '../../domain/ids.ts';
import { assertKeyAgent } from '../../domain/key-limits.ts';
import type { StrategySetting } from '../../domain/strategy/strategy-row.ts';
import { choicesOf } from '../../domain/settings.ts';
import { STRATEGIES } from '../../domain/strategy/table.ts';
import type { EnableChoice } from '../../services/agents/records.ts';
import { userRoute, type UserContext } from '../route.ts';
import {
  agentOut,
  decisionOut,
  settingsOut,
  stoppedOut,
  viewAgent,
  viewAgentSettings,
  viewDecision,
  viewStopped,
} from '../views/agent.ts';
import {
  agentsPerformanceOut,
  performanceWithPaperOut,
  viewAgentsPerformance,
  viewPerformanceWithPaper,
} from '../views/agent-performance.ts';
import { booksOut, viewBooks } from '../views/holding.ts';
import { calibrationOut, viewCalibration } from '../views/calibration.ts';
import { decisionProofRoute } from './decision-proof.ts';
import { decisionReplayRoute } from './decision-replay.ts';
import { agentIdOf, pageFields, pageOf, pageOut } from './fields.ts';

const number = z
  .union([z.number(), z.string()], { error: 'a number, or a number as text' })
  .optional();
const size = number.meta({
  description: `USD of a trade before fees, which leave on top, ${AGENT.sizeMinimumUsd} to ${AGENT.sizeMaximumUsd}, with minPositionSize ≤ avgPositionSize ≤ maxPositionSize. Only avgPositionSize, where it is not sent, moves into limits that are; the limits themselves never move.`,
});

/**
 * Names known here for the documentation; the service decides, and refuses what it does not know
 * with `unknown_setting`.
 */
const settingsBody = z
  .looseObject({
    enabled: z.unknown().optional().meta({
      description:
        'As it is now, so that what was read can be sent back; enabling and disabling change it.',
    }),
    minPositionSize: size,
    avgPositionSize: size,
    maxPositionSize: size,
    strategy: z.unknown().optional().meta({ description: describeStrategies() }),
    notifyOnTrade: z.unknown().optional().meta({ description: 'true or false.' }),
    maxOpenPositions: number.meta({
      description: `1 to ${AGENT.farming.openPositionsMaximum}. This and the next six only of farming agents, each of those that have it.`,
    }),
    maxTotalExposure: number.meta({
      description: `USD, 1 to ${AGENT.farming.totalExposureMaximumUsd}.`,
    }),
    maxDailyLoss: number.meta({
      description: `USD a UTC day, all that is at risk counted as lost, 1 to ${AGENT.farming.dailyLossMaximumUsd}.`,
    }),
    minProbabilityPercent: number.meta({
      description: `Percent, ${AGENT.farming.probabilityMinimumTicks / 100} to ${AGENT.farming.probabilityMaximumTicks / 100}, at most maxProbabilityPercent.`,
    }),
    maxProbabilityPercent: number.meta({
      description: `Percent, ${AGENT.farming.probabilityMinimumTicks / 100} to ${AGENT.farming.probabilityMaximumTicks / 100}.`,
    }),
    maxHoursToExpiry: number.meta({
      description: `Whole hours, 1 to ${AGENT.farming.endsWithinHoursMaximum}: markets that end later are left alone.`,
    }),
    stopLossPercent: number.meta({
      description: `Percent of the entry price, ${AGENT.farming.stopLossMinimumPerMille / 10} to ${AGENT.farming.stopLossMaximumPerMille / 10}.`,
    }),
    inferenceDifferencePercent: number.meta({
      description: `Percent of the price, ${AGENT.inferenceDifferenceMaximumMicros / 10_000} at most. Only of ${readersOf('inferenceDifferencePercent')}.`,
    }),
  })
  .meta({
    id: 'AgentSettingsPatch',
    examples: [
      { minPositionSize: '1', avgPositionSize: '5', maxPositionSize: '10', notifyOnTrade: true },
    ],
  });

const agentPath = z.object({
  agent: z
    .string()
    .meta({ description: `One of ${AGENT_IDS.join(', ')}.`, examples: [AGENT_IDS[0]] }),
});

/** What was chosen, without what was not. */
function chosen({
  onStop,
  mode,
}: {
  readonly onStop?: StopPolicy | undefined;
  readonly mode?: AgentMode | undefined;
} = {}): EnableChoice {
  return { ...(onStop === undefined ? {} : { onStop }), ...(mode === undefined ? {} : { mode }) };
}

/** Errors: `forbidden` where the limits of the caller's key would not bind the agent. */
function assertKeySteers(
  { services, userId, keyId }: UserContext,
  agentId: AgentId,
  mode: AgentMode = 'live',
): void {
  const limits = keyId === null ? null : services.apiKeys.limitsOf(userId, keyId);
  if (limits === null) return;
  const { venue } = AGENT_PROFILES[agentId];
  assertKeyAgent(limits, { venue, onPaper: mode === 'paper' });
}

/** Agents of the user. */
export const agentRoutes = [
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/',
    budget: 'reads',
    operationId: 'listAgents',
    summary: 'List the agents with their settings and what they do now',
    description:
      'Each agent with its settings, whether it is enabled, what it waits for, and what it does at this moment.',
    output: pageOut(agentOut),
    run: ({ services, userId }) => ({
      data: services.agents.list(userId).map(viewAgent),
      nextCursor: null,
    }),
  }),
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/:agent/settings',
    budget: 'reads',
    operationId: 'getAgentSettings',
    summary: 'Get an agent’s settings',
    description: 'The settings as they are in force, chosen or by default.',
    params: agentPath,
    output: settingsOut,
    errors: ['not_found'],
    run: ({ services, userId }, { params }) =>
      viewAgentSettings(services.agents.view(userId, agentIdOf(params.agent))),
  }),
  userRoute({
    family: 'agents',
    method: 'PUT',
    path: '/api/agents/:agent/settings',
    budget: 'writes',
    operationId: 'updateAgentSettings',
    summary: 'Change settings; those not named stay',
    description:
      'Changes the settings named in the body and leaves the others. All changes of one call hold together, or ' +
      'none does: a setting that does not exist or is out of its range refuses the whole call. What was read can be sent back as it is. ' +
      'Not by an API key with limits of money, nor by one without the venue.',
    params: agentPath,
    body: settingsBody,
    output: settingsOut,
    errors: ['not_found', 'forbidden', 'unknown_setting', 'setting_out_of_range'],
    run: async (context, { params, body }) => {
      const { services, userId } = context;
      const agentId = agentIdOf(params.agent);
      assertKeySteers(context, agentId);
      return viewAgentSettings(await services.agents.updateSettings(userId, agentId, body));
    },
  }),
  userRoute({
    family: 'agents',
    method: 'POST',
    path: '/api/agents/:agent/enable',
    budget: 'writes',
    operationId: 'enableAgent',
    summary: 'Enable an agent, with what a stop of it shall do; refused with what is missing',
    description:
      'From now on the agent decides on every market of its kind. Enabling one that is enabled changes only ' +
      'what the body names. Refused, with a list of what is missing, while the cash is below the ' +
      'position size, the wallet is not ready, or the venue wants something else of its buyers: to be known there, coin for its fees. An API key with limits of money enables on paper alone, ' +
      'one with venues at those alone: an agent’s orders count against no key.',
    params: agentPath,
    body: z
      .strictObject({
        onStop: z.enum(STOP_POLICIES).optional().meta({
          description: 'What a stop does; absent, as chosen before, cancel_only at first.',
        }),
        mode: z.enum(AGENT_MODES).optional().meta({
          description:
            'With real money (live, when absent) or on paper, against the same books and without a wallet.',
        }),
      })
      .optional(),
    output: agentOut,
    errors: [
      'not_found',
      'forbidden',
      'agent_not_ready',
      'agent_enabled',
      'venue_unavailable',
      'venue_protocol',
      'chain_unavailable',
    ],
    run: async (context, { params, body }) => {
      const { services, userId } = context;
      const agentId = agentIdOf(params.agent);
      assertKeySteers(context, agentId, body?.mode);
      return viewAgent(await services.agents.enable(userId, agentId, chosen(body)));
    },
  }),
  userRoute({
    family: 'agents',
    method: 'POST',
    path: '/api/agents/:agent/disable',
    budget: 'stops',
    operationId: 'disableAgent',
    summary: 'Disable an agent, for good until enabled again',
    description:
      'The agent decides nothing more. What becomes of its open orders and positions follows the policy given ' +
      'when it was enabled. Disabling one that is disabled changes nothing.',
    params: agentPath,
    output: agentOut,
    errors: ['not_found'],
    run: async ({ services, userId }, { params }) =>
      viewAgent(await services.agents.disable(userId, agentIdOf(params.agent))),
  }),
  userRoute({
    family: 'agents',
    method: 'POST',
    path: '/api/agents/stop-all',
    budget: 'stops',
    operationId: 'stopAllAgents',
    summary:
      'Disable all agents at once; says what the stop does with the orders and positions of each',
    description:
      'Disables every agent, and says for each what its policy does with its open orders and positions.',
    output: z.object({ data: z.array(stoppedOut), nextCursor: z.null() }),
    run: async ({ services, userId }) => ({
      data: (await services.agents.stopAll(userId)).map(viewStopped),
      nextCursor: null,
    }),
  }),
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/:agent/trades',
    budget: 'reads',
    operationId: 'listAgentTrades',
    summary: 'Trades of an agent with their receipts, newest first',
    description: 'Decisions that led to an order, with what became of it.',
    params: agentPath,
    query: z.strictObject(pageFields),
    output: pageOut(decisionOut),
    errors: ['not_found'],
    run: ({ services, userId }, { params, query }) => {
      const page = services.agents.trades(userId, agentIdOf(params.agent), pageOf(query));
      return { data: page.data.map(viewDecision), nextCursor: page.nextCursor };
    },
  }),
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/performance',
    budget: 'reads',
    operationId: 'getAgentsPerformance',
    summary: 'How each agent and all of them together have done',
    description:
      'Results of each agent and of all together, by what was realized and what open positions are worth now.',
    output: agentsPerformanceOut.extend({ books: booksOut }),
    run: ({ services, userId }) => ({
      ...viewAgentsPerformance(services.agents.performanceOfAll(userId)),
      books: viewBooks(services.portfolio, userId),
    }),
  }),
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/:agent/performance',
    budget: 'reads',
    operationId: 'getAgentPerformance',
    summary: 'How an agent has done',
    description: 'Results of one agent with real money and on paper, and how far the two differ.',
    params: agentPath,
    output: performanceWithPaperOut.extend({ books: booksOut }),
    errors: ['not_found'],
    run: ({ services, userId }, { params }) => ({
      ...viewPerformanceWithPaper(services.agents.performance(userId, agentIdOf(params.agent))),
      books: viewBooks(services.portfolio, userId),
    }),
  }),
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/:agent/calibration',
    budget: 'reads',
    operationId: 'getAgentCalibration',
    summary: 'What the signal of an agent stated when it entered, against what came',
    description:
      'Sorts the newest entries, with real money and on paper, by the signal strength that their receipts state, ' +
      'and says how often their outcomes won. A strength is a score, no promise: this shows how far it can be taken ' +
      'for a chance.',
    params: agentPath,
    output: calibrationOut,
    errors: ['not_found'],
    run: ({ services, userId }, { params }) =>
      viewCalibration(services.agents.calibration(userId, agentIdOf(params.agent))),
  }),
  userRoute({
    family: 'agents',
    method: 'GET',
    path: '/api/agents/:agent/decisions',
    budget: 'reads',
    operationId: 'listAgentDecisions',
    summary: 'Receipts of every decision, newest first',
    description:
      'One receipt for each decision, trades and skips alike: the inputs with their age, each criterion with ' +
      "its threshold, and the reason in a sentence. Receipts are links of the journal's chain.",
    params: agentPath,
    query: z.strictObject(pageFields),
    output: pageOut(decisionOut),
    errors: ['not_found'],
    run: ({ services, userId }, { params, query }) => {
      const page = services.agents.decisions(userId, agentIdOf(params.agent), pageOf(query));
      return { data: page.data.map(viewDecision), nextCursor: page.nextCursor };
    },
  }),
  decisionReplayRoute,
  decisionProofRoute,
];

/** The interface's description follows the table of strategies. */
function describeStrategies(): string {
  return AGENT_IDS.map(
    (agentId) =>
      `${agentId}: ${choicesOf(STRATEGIES, agentId)
        .rows.map(({ strategy }) => strategy)
        .join(', ')}`,
  ).join('; ');
}

function readersOf(setting: StrategySetting): string {
  return STRATEGIES.rows
    .filter(({ reads }) => reads.includes(setting))
    .map(({ agentId, strategy }) => `${strategy} of ${agentId}`)
    .join(', ');
}
