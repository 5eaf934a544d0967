import { accountRow, eventRow, foldedEvents, placeRow } from '../rows/account.ts';
import { READS_OWN, type Tool } from '../tool.ts';

const reads = { scope: 'read', annotations: READS_OWN, budget: 'calls' } as const;

/** What shows all of an account. */
export const ACCOUNT_TOOLS: readonly Tool[] = [
  {
    ...reads,
    name: 'account_summary',
    title: 'Account',
    description:
      "All the user has at every venue, in USDC: cash by account, newest positions with profit, today's result and fees, what is under way.",
    operationId: 'getPortfolio',
    answer: { row: accountRow, hasAll: false },
  },
  {
    ...reads,
    name: 'events_since',
    title: 'What happened since',
    description:
      'What happened to orders, positions and money since a cursor, oldest first. Without one: the cursor to begin with.',
    operationId: 'listMissedEvents',
    usual: { topics: 'orders,positions,notifications', limit: 50 },
    says: {
      since: 'cursor of the answer before.',
      topics: 'Add agents for every decision of agents.',
      limit: { type: 'integer', default: 50 },
    },
    answer: { row: eventRow, folded: foldedEvents, others: placeRow, hasAll: false },
  },
];
