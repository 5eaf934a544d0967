import { z } from 'zod';
import { TOKENS } from '../../../config/limits/identity.ts';
import { REGISTRY } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import { AGENT_IDS, asId, type RegistryEntryId } from '../../domain/ids.ts';
import { plainParagraphs, plainText } from '../../domain/plain-text.ts';
import { isOasfDomain, isOasfSkill } from '../../domain/oasf.ts';
import { type RegistryRecord, serviceFault, webAddressFault } from '../../domain/registry.ts';
import { PREFER_WAIT, waitMsOf } from '../prefer.ts';
import { userRoute, type UserContext } from '../route.ts';
import type { ApiServices } from '../services.ts';
import { registryOut, viewRegistry } from '../views/registry.ts';
import { evmAddressFault, withChecksum } from './evm-address.ts';
import { pageFields, pageOf, pageOut } from './fields.ts';
import { imageIdField } from './launches.ts';

const entryIdField = z
  .string()
  .regex(/^reg_[0-9A-Z]{26}$/, 'the entryId of an entry or feedback')
  .transform((text) => asId<RegistryEntryId>(text))
  .meta({
    description: 'The entryId of an entry or feedback of yours.',
    examples: ['reg_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'],
  });

const line = (maximumChars: number) =>
  z
    .string()
    .min(1)
    .max(maximumChars, { abort: true })
    .refine((text) => plainText(text, maximumChars) === text, 'one line of plain text');
const paragraphs = (maximumChars: number) =>
  z
    .string()
    .max(maximumChars, { abort: true })
    .refine((text) => plainParagraphs(text, maximumChars) === text, 'plain text');
const within = (maximumBytes: number) =>
  z
    .string()
    .regex(/^[\x20-\x7e]*$/, 'visible ASCII')
    .max(maximumBytes);
const slugs = (isKnown: (slug: string) => boolean, kind: 'skill' | 'domain') =>
  z
    .array(z.string().max(100).refine(isKnown, `must be a ${kind} of the OASF taxonomy`))
    .max(REGISTRY.listMaximum);

const registerFields = z.strictObject({
  agent: z.enum(AGENT_IDS).meta({
    description: 'Which of your agents: the head of its receipts goes into the entry.',
    examples: ['btc_5min'],
  }),
  name: line(REGISTRY.nameMaximumChars).meta({ examples: ['BTC five minutes'] }),
  description: paragraphs(REGISTRY.descriptionMaximumChars).meta({
    examples: ['Trades rounds of five minutes.'],
  }),
  imageId: imageIdField.optional(),
  services: z
    .array(
      z
        .strictObject({
          type: z.enum(['MCP', 'A2A', 'ENS', 'SNS', 'DID', 'wallet', 'OASF']),
          value: within(REGISTRY.uriMaximumBytes).min(1),
        })
        .superRefine(({ type, value }, context) => {
          const message = type === 'wallet' ? evmAddressFault(value) : serviceFault(type, value);
          if (message !== null) context.addIssue({ code: 'custom', path: ['value'], message });
        })
        .overwrite(({ type, value }) => ({
          type,
          value: type === 'wallet' ? withChecksum(value) : value,
        })),
    )
    .max(REGISTRY.listMaximum)
    .meta({
      description: 'By what it is reached: MCP, A2A and OASF by an address with https.',
      examples: [[{ type: 'MCP', value: 'https://agents.example.com/mcp' }]],
    }),
  skills: slugs(isOasfSkill, 'skill')
    .optional()
    .meta({
      description:
        'Of the service of type OASF, from its taxonomy, such as `evaluation_monitoring/anomaly_detection`.',
      examples: [[]],
    }),
  domains: slugs(isOasfDomain, 'domain')
    .optional()
    .meta({
      description: 'In the same way, such as `finance_and_business/investment_services`.',
      examples: [[]],
    }),
});

/** The registry has both at that service: without it they would be lost. */
const registerBody = registerFields.superRefine(({ services, skills, domains }, context) => {
  if (services.some(({ type }) => type === 'OASF')) return;
  for (const [name, slugs] of Object.entries({ skills, domains }))
    if (slugs !== undefined && slugs.length > 0)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'need a service of type OASF that says where they are described',
      });
});

/** A number with its decimals, as the registry counts: "99.77" is 9977 with two. */
const valueField = z
  .string()
  .regex(/^-?\d{1,20}(\.\d{1,18})?$/, 'a decimal number, at most 18 decimals')
  .meta({ description: 'What is said, as a decimal number.', examples: ['99.77'] })
  .transform((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return { value: BigInt(`${whole}${fraction}`), valueDecimals: fraction.length };
  });

const feedbackBody = z.strictObject({
  agent: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'the address of an entry')
    .meta({
      description: 'The address of the entry of another user’s agent.',
      examples: ['GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB'],
    }),
  value: valueField,
  score: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .meta({ examples: [87] }),
  tag1: within(REGISTRY.tagMaximumBytes)
    .optional()
    .meta({
      description: 'What is rated, such as starred, uptime, successRate or tradingYield.',
      examples: ['starred'],
    }),
  tag2: within(REGISTRY.tagMaximumBytes)
    .optional()
    .meta({ examples: ['day'] }),
  endpoint: within(REGISTRY.uriMaximumBytes)
    .superRefine((text, context) => {
      const message = text === '' ? null : webAddressFault(text);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .meta({
      description: 'The address that is rated, with https.',
      examples: ['https://agents.example.com/mcp'],
    }),
  comment: paragraphs(REGISTRY.commentMaximumChars)
    .min(1)
    .optional()
    .meta({
      description: 'Kept as a public file that the feedback points to.',
      examples: ['Answers at once.'],
    }),
});

const ERRORS = [
  'not_found',
  'limit_reached',
  'insufficient_funds',
  'trading_stopped',
  'cap_exceeded',
  'fresh_sign_in_required',
  'price_late',
  'chain_reverted',
  'files_unavailable',
  'chain_unavailable',
  'store_unavailable',
] as const;

/** Entries of one's agents in the agent registry, and feedback on others'. */
export const registryRoutes = [
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/registry/register',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'session',
    operationId: 'registerAgent',
    summary: 'Register an agent on Solana',
    description:
      'Makes an entry of one of your agents in the agent registry, in one transaction of your Solana wallet. Its file holds the newest link of the agent’s receipts in the chain of the journal.',
    body: registerBody,
    headers: PREFER_WAIT,
    output: registryOut,
    errors: ['conflict', ...ERRORS],
    run: async (context, { body: { agent, imageId, skills, domains, ...said } }) =>
      shown(
        context.services,
        await context.services.registry.register(
          context.userId,
          {
            ...said,
            agentId: agent,
            imageId: imageId ?? null,
            skills: skills ?? [],
            domains: domains ?? [],
          },
          callOf(context),
        ),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/registry/feedback',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'session',
    operationId: 'leaveAgentFeedback',
    summary: 'Leave feedback on an agent',
    description:
      'Writes what you say of another user’s agent into the registry, for good. Feedback on an agent of your own is refused.',
    body: feedbackBody,
    headers: PREFER_WAIT,
    output: registryOut,
    errors: [...ERRORS],
    run: async (context, { body: { agent, value, score, tag1, tag2, endpoint, comment } }) =>
      shown(
        context.services,
        await context.services.registry.feedback(
          context.userId,
          {
            ...value,
            agent,
            score: score ?? null,
            tag1: tag1 ?? '',
            tag2: tag2 ?? '',
            endpoint: endpoint ?? '',
            comment: comment ?? null,
          },
          callOf(context),
        ),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/registry/',
    budget: 'reads',
    operationId: 'listRegistryRecords',
    summary: 'List your entries and feedback, newest first',
    description: 'All of them, those under way and those that ended.',
    query: z.strictObject(pageFields),
    output: pageOut(registryOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.registry.list(userId, pageOf(query));
      return { data: data.map((record) => shown(services, record)), nextCursor };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/registry/:id/',
    budget: 'reads',
    operationId: 'getRegistryRecord',
    summary: 'Get an entry or feedback and its state',
    description: 'Answers how far it has come, with its address.',
    params: z.object({ id: entryIdField }),
    output: registryOut,
    errors: ['not_found'],
    run({ services, userId }, { params }) {
      const found = services.registry.get(userId, params.id);
      if (found === null) throw new AppError('not_found', 'you have no such entry');
      return shown(services, found);
    },
  }),
];

function callOf(context: UserContext) {
  const { idempotencyKey, authenticatedAtMs, wallNowMs } = context;
  return {
    waitMs: waitMsOf(context, 0),
    isFresh: authenticatedAtMs + TOKENS.freshSignInMs > wallNowMs,
    ...(idempotencyKey === null ? {} : { key: idempotencyKey }),
  };
}

function shown(
  { gasPaid, coinPrice }: Pick<ApiServices, 'gasPaid' | 'coinPrice'>,
  record: RegistryRecord,
): z.input<typeof registryOut> {
  return viewRegistry(record, {
    gas: gasPaid(record.userId, [record.transactionId]),
    coinPrice,
  });
}
