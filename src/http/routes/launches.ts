import { z } from 'zod';
import { TOKENS } from '../../../config/limits/identity.ts';
import { LAUNCH, PUBLIC_FILES } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type ImageId, type LaunchId } from '../../domain/ids.ts';
import { IMAGE_TYPES, type LaunchRecord } from '../../domain/launch.ts';
import type { LaunchCall } from '../../services/launches/launch-intent.ts';
import { PREFER_WAIT, waitMsOf } from '../prefer.ts';
import { userRoute, type UserContext } from '../route.ts';
import type { ApiServices } from '../services.ts';
import {
  imageOut,
  launchEstimateOut,
  launchOut,
  viewImage,
  viewLaunch,
  viewLaunchEstimate,
} from '../views/launch.ts';
import { pageFields, pageOf, pageOut } from './fields.ts';

/** Which picture. */
export const imageIdField = z
  .string()
  .regex(/^img_[0-9A-Z]{26}$/, 'the imageId of an uploaded picture')
  .meta({
    description: 'Of POST /api/web3/memelaunch/image.',
    examples: ['img_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'],
  })
  .transform((text) => asId<ImageId>(text));

const launchIdField = z
  .string()
  .regex(/^lnc_[0-9A-Z]{26}$/, 'the launchId of a launch')
  .transform((text) => asId<LaunchId>(text))
  .meta({
    description: 'The launchId of a launch of yours.',
    examples: ['lnc_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'],
  });

/** A first buy would need the curve's prices, a bound on slippage and an amount at risk. */
const NO_FIRST_BUY =
  'a first buy is not offered: launch the token first, then buy it as anybody does';

const launchBody = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(LAUNCH.nameMaximumBytes)
    .meta({
      description: `One line of plain text, at most ${LAUNCH.nameMaximumBytes} bytes of UTF-8.`,
      examples: ['Morning Coffee'],
    }),
  symbol: z
    .string()
    .min(1)
    .max(LAUNCH.symbolMaximumBytes)
    .meta({
      description: `Its ticker, at most ${LAUNCH.symbolMaximumBytes} bytes; not that of a token everybody knows.`,
      examples: ['BREW'],
    }),
  description: z
    .string()
    .max(LAUNCH.descriptionMaximumChars)
    .meta({
      description: 'Plain text.',
      examples: ['A token for who is up first.'],
    }),
  imageId: imageIdField,
  firstBuySol: z.literal('0', NO_FIRST_BUY).optional().meta({
    description: 'Nothing but 0: a first buy is not offered.',
  }),
});

/** Launches of tokens on the launch platform. */
export const launchRoutes = [
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/memelaunch/image',
    budget: 'writes',
    status: 201,
    scope: 'launch',
    operationId: 'uploadTokenImage',
    summary: 'Upload a picture for a token',
    description: `The body is the picture itself, at most ${PUBLIC_FILES.imageMaximumBytes >> 20} MB; at most ${PUBLIC_FILES.imageSideMaximum} pixels a side, whole; what it is its first bytes say. It is kept where anybody can read it, for good.`,
    bytes: {
      maximumBytes: PUBLIC_FILES.imageMaximumBytes,
      mediaTypes: [...IMAGE_TYPES, 'application/octet-stream'],
    },
    body: z.instanceof(Uint8Array, { error: 'the bytes of a picture' }),
    output: imageOut,
    errors: ['limit_reached', 'files_unavailable', 'store_unavailable'],
    run: async ({ services, userId }, { body }) =>
      viewImage(await services.launches.addImage(userId, body)),
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/memelaunch/estimate',
    budget: 'reads',
    scope: 'launch',
    operationId: 'estimateLaunch',
    summary: 'Say what a launch would cost',
    description:
      'Takes what a launch takes and makes nothing: its cost, and what it would be refused for.',
    body: launchBody,
    output: launchEstimateOut,
    errors: ['not_found', 'chain_unavailable'],
    run: async ({ services, userId, ...call }, { body }) =>
      viewLaunchEstimate(await services.launches.estimate(userId, body, callerOf(call))),
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/memelaunch/launch',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'launch',
    operationId: 'launchToken',
    summary: 'Launch a token on the launch platform',
    description: `Uploads the metadata, then makes the token in one transaction of your Solana wallet: one in ${LAUNCH.everyMs / 60_000} minutes. It is answered at once, or with its end where \`Prefer: wait\` asks for that; it is followed, and its end notified.`,
    body: launchBody,
    headers: PREFER_WAIT,
    output: launchOut,
    errors: [
      'not_found',
      'limit_reached',
      'insufficient_funds',
      'trading_stopped',
      'cap_exceeded',
      'confirmation_required',
      'fresh_sign_in_required',
      'price_late',
      'chain_reverted',
      'files_unavailable',
      'chain_unavailable',
      'store_unavailable',
    ],
    run: async ({ services, userId, idempotencyKey, ...call }, { body }) =>
      shown(
        services,
        await services.launches.launch(userId, body, {
          ...callerOf(call),
          waitMs: waitMsOf(call, 0),
          ...(idempotencyKey === null ? {} : { key: idempotencyKey }),
        }),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/memelaunch/',
    budget: 'reads',
    operationId: 'listLaunches',
    summary: 'List your launches, newest first',
    description: 'All of them, those under way and those that ended.',
    query: z.strictObject(pageFields),
    output: pageOut(launchOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.launches.list(userId, pageOf(query));
      return {
        data: data.map((launch) => shown(services, launch)),
        nextCursor,
      };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/memelaunch/:id/',
    budget: 'reads',
    operationId: 'getLaunch',
    summary: 'Get a launch and its state',
    description: 'Answers how far it has come, with its addresses.',
    params: z.object({ id: launchIdField }),
    output: launchOut,
    errors: ['not_found'],
    run({ services, userId }, { params }) {
      const found = services.launches.get(userId, params.id);
      if (found === null) throw new AppError('not_found', 'you have no such launch');
      return shown(services, found);
    },
  }),
];

/** Who asks: a key never steps up, however young its token is. */
function callerOf({
  keyId,
  authenticatedAtMs,
  wallNowMs,
}: Pick<UserContext, 'keyId' | 'authenticatedAtMs' | 'wallNowMs'>): Omit<
  LaunchCall,
  'key' | 'waitMs'
> {
  return {
    isFresh: keyId === null && authenticatedAtMs + TOKENS.freshSignInMs > wallNowMs,
    ...(keyId === null ? {} : { keyId }),
  };
}

function shown(
  { launches, gasPaid, coinPrice }: Pick<ApiServices, 'launches' | 'gasPaid' | 'coinPrice'>,
  launch: LaunchRecord,
): z.input<typeof launchOut> {
  const gas = gasPaid(launch.userId, [launch.transactionId]);
  return viewLaunch(launch, { curveOf: launches.curveOf, gas, coinPrice });
}
