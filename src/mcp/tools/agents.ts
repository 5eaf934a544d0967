import { agentRow } from '../rows/orders.ts';
import { CHANGES, ENDS, MOVES_MONEY, READS_OWN, type Tool } from '../tool.ts';

const changes = { scope: 'trade', annotations: CHANGES, budget: 'calls' } as const;

/** What shows and steers the user's agents. */
export const AGENT_TOOLS: readonly Tool[] = [
  {
    name: 'agents_list',
    title: 'Agents',
    description: "The user's trading agents: settings, whether each trades, what keeps it from it.",
    operationId: 'listAgents',
    scope: 'read',
    annotations: READS_OWN,
    budget: 'calls',
    answer: { row: agentRow },
  },
  {
    ...changes,
    name: 'agent_settings',
    title: 'Change an agent',
    description: 'Change settings of an agent; those left out stay. agents_list tells what it has.',
    operationId: 'updateAgentSettings',
    says: {
      agent: 'Of agents_list.',
      minPositionSize: 'USD.',
      avgPositionSize: 'USD.',
      maxPositionSize: 'USD.',
      strategy: '',
      notifyOnTrade: { type: 'boolean' },
      maxOpenPositions: 'This and the rest: of farming agents.',
      maxTotalExposure: 'USD.',
      maxDailyLoss: 'USD.',
      minProbabilityPercent: '',
      maxProbabilityPercent: '',
      maxHoursToExpiry: '',
      stopLossPercent: '',
    },
    unlisted: ['enabled', 'inferenceDifferencePercent'],
  },
  {
    ...changes,
    name: 'agent_enable',
    title: 'Enable an agent',
    description:
      "Have an agent trade by itself from now on, with the user's money unless on paper.",
    operationId: 'enableAgent',
    annotations: MOVES_MONEY,
    says: { agent: '', onStop: 'What a stop does.', mode: '' },
    answer: { row: agentRow, hasAll: false },
  },
  {
    name: 'agent_disable',
    title: 'Stop an agent',
    description: 'Stop one agent until it is enabled again.',
    operationId: 'disableAgent',
    scope: 'trade',
    annotations: ENDS,
    budget: 'stops',
    says: { agent: '' },
    answer: { row: agentRow, hasAll: false },
  },
  {
    name: 'agents_stop_all',
    title: 'Stop all agents',
    description:
      'Stop all trading agents of the user at once. Says what becomes of the open orders and positions of each.',
    operationId: 'stopAllAgents',
    scope: 'trade',
    annotations: ENDS,
    budget: 'stops',
  },
];
