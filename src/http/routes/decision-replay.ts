import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { AGENT_IDS, asId, type DecisionId } from '../../domain/ids.ts';
import { userRoute } from '../route.ts';
import { decisionOut, viewDecision } from '../views/agent.ts';
import { agentIdOf } from './fields.ts';

const replayOut = z
  .object({
    decision: decisionOut,
    basis: z
      .looseObject({
        version: z.int().meta({
          description: 'Of the shape, and of the rules that strategies decide by.',
        }),
        kind: z.enum(['entry', 'position', 'bid', 'farm_entry', 'stop_loss']),
      })
      .nullable()
      .meta({
        description:
          'All that the strategy decided by, numbers as they were: prices in ticks of 0.0001 or, of assets, in 10⁻⁸ USD, moments on the markets’ clock (`DecisionBasis`). `said` is what the strategy said where its agent did otherwise. Null where no strategy decided, and in older receipts.',
      }),
    text: z.string().meta({
      description:
        'The entry of the journal as it is chained: `chain.hash` is SHA-256 over `chain.previousHash`, `chain.seq` (eight bytes, big-endian) and this text in UTF-8.',
    }),
  })
  .meta({ id: 'DecisionReplay' });

/** Names a decision of an agent. */
export const decisionParams = z.object({
  agent: z
    .string()
    .meta({ description: `One of ${AGENT_IDS.join(', ')}.`, examples: [AGENT_IDS[0]] }),
  id: z
    .string()
    .regex(/^dec_[0-9A-HJKMNP-TV-Z]{26}$/, 'the decisionId of a decision')
    .meta({
      description: 'The decisionId of a decision of the agent.',
      examples: ['dec_01J9ZQ4T8XG6Q2W5E7R9T1Y3V5'],
    }),
});

/** One receipt with all that it can be decided by again. */
export const decisionReplayRoute = userRoute({
  family: 'agents',
  method: 'GET',
  path: '/api/agents/:agent/decisions/:id/replay',
  budget: 'reads',
  operationId: 'getDecisionReplay',
  summary: 'One receipt with all that its strategy decided by, to decide again',
  description:
    'The receipt, the recorded inputs as the pure code of the strategies takes them, and the entry of the journal that holds both, with its link.',
  params: decisionParams,
  output: replayOut,
  errors: ['not_found'],
  run: ({ services, userId }, { params: { agent, id } }) => {
    const found = services.agents.decision(userId, agentIdOf(agent), asId<DecisionId>(id));
    if (found === null) throw new AppError('not_found', `the agent has no decision ${id}`);
    const { text, ...view } = found;
    const { basis } = view.decision;
    return {
      decision: viewDecision(view),
      basis: basis === undefined ? null : { ...basis },
      text,
    };
  },
});
