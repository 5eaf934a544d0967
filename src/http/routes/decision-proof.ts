import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { asId, type DecisionId } from '../../domain/ids.ts';
import { userRoute } from '../route.ts';
import { decisionParams } from './decision-replay.ts';
import { agentIdOf } from './fields.ts';

const hashOut = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'] });

const proofOut = z
  .object({
    seq: z.int().nullable().meta({
      description:
        'Number of the journal entry that holds the receipt, from 1; null where it has none.',
    }),
    anchor: z
      .object({
        entries: z.int().meta({ description: 'How many entries are under it, from the first on.' }),
        root: hashOut,
        atMs: z.number().meta({ description: 'When it was made, wall time.' }),
      })
      .nullable()
      .meta({
        description:
          'The newest root of the hash tree over the journal, also in the log of the daemon (`journal.anchored`); one is made each minute. Null before the first.',
      }),
    path: z.array(hashOut).nullable().meta({
      description:
        'The audit path of RFC 6962 (2.1.1) from leaf `seq - 1` to the root of the tree of `anchor.entries` leaves. A leaf is SHA-256 over a byte 0 and the link of the entry, a node over a byte 1 and its two parts. Null where the entry is newer than the anchor.',
    }),
  })
  .meta({ id: 'DecisionProof' });

/** What shows that a receipt's entry is under the newest anchor, without the entries of others. */
export const decisionProofRoute = userRoute({
  family: 'agents',
  method: 'GET',
  path: '/api/agents/:agent/decisions/:id/proof',
  budget: 'reads',
  operationId: 'getDecisionProof',
  summary: 'What shows that a receipt is in the journal as it was last anchored',
  description:
    'At most some thirty hashes, from the link of the receipt’s entry up to the newest root over the whole journal. They say nothing of the entries of others but how many there are.',
  params: decisionParams,
  output: proofOut,
  errors: ['not_found'],
  run: ({ services, userId }, { params: { agent, id } }) => {
    const found = services.agents.decision(userId, agentIdOf(agent), asId<DecisionId>(id));
    if (found === null) throw new AppError('not_found', `the agent has no decision ${id}`);
    const seq = found.place?.seq ?? null;
    const { anchor, path } = services.journalTree.prove(seq ?? 0);
    return { seq, anchor, path: path === null ? null : [...path] };
  },
});
