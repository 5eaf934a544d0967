import { z } from 'zod';
import { PUSH } from '../../../config/limits/notification.ts';
import { userRoute } from '../route.ts';
import { timeOut } from './fields.ts';

const subscriptionOut = z
  .object({
    id: z.string(),
    host: z.string().meta({ description: "The browser's push service." }),
    createdAtMs: timeOut,
  })
  .meta({ id: 'PushSubscription' });

function viewSubscription({
  subscriptionId: id,
  host,
  createdAtMs,
}: {
  readonly subscriptionId: string;
  readonly host: string;
  readonly createdAtMs: number;
}): z.input<typeof subscriptionOut> {
  return { id, host, createdAtMs };
}

/** Browsers that are notified of trades. Only people who signed in change them, not keys. */
export const pushRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/push/vapid-key',
    budget: 'reads',
    operationId: 'getPushKey',
    summary: 'The key a browser subscribes with (applicationServerKey)',
    description:
      'The public key that a browser takes as `applicationServerKey` when it subscribes.',
    output: z.object({
      publicKey: z.string().meta({ description: 'Base64url of an uncompressed point of P-256.' }),
    }),
    errors: ['push_unavailable'],
    run: ({ services }) => ({ publicKey: services.pushSubscriptions.publicKey() }),
  }),
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/push/subscriptions',
    budget: 'writes',
    status: 201,
    operationId: 'createPushSubscription',
    summary: 'Have a browser notified of your trades; the same one again replaces its keys',
    description:
      "Takes the `toJSON()` of a browser's PushSubscription. From then on the browser is sent what " +
      '`/api/user/notifications/` lists.',
    body: z
      .strictObject({
        endpoint: z.string().min(1).max(PUSH.endpointMaximumChars),
        expirationTime: z
          .number()
          .nullable()
          .optional()
          .meta({ description: 'As browsers send it; not used.' }),
        keys: z.strictObject({
          p256dh: z.string().min(1).max(200),
          auth: z.string().min(1).max(100),
        }),
      })
      .meta({ id: 'PushSubscriptionJson', description: "A PushSubscription's toJSON()." }),
    output: subscriptionOut,
    errors: ['push_unavailable'],
    run: async ({ services, userId }, { body: { endpoint, keys } }) =>
      viewSubscription(await services.pushSubscriptions.subscribe(userId, { endpoint, keys })),
  }),
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/push/subscriptions',
    budget: 'reads',
    operationId: 'listPushSubscriptions',
    summary: 'List the browsers that are notified, oldest first',
    description: 'The browsers that are notified, by the push service they use.',
    output: z.object({ data: z.array(subscriptionOut), nextCursor: z.null() }),
    run: ({ services, userId }) => ({
      data: services.pushSubscriptions.list(userId).map(viewSubscription),
      nextCursor: null,
    }),
  }),
  userRoute({
    family: 'user',
    method: 'DELETE',
    path: '/api/user/push/subscriptions/:id',
    budget: 'writes',
    status: 204,
    operationId: 'deletePushSubscription',
    summary: 'Tell a browser no more',
    description: 'The browser is notified of nothing more.',
    params: z.object({
      id: z
        .string()
        .regex(/^sub_[0-9a-z]{26}$/, 'the id of a subscription')
        .meta({
          description: 'The id of a subscription of yours.',
          examples: ['sub_01j9zq4t8xg6q2w5e7r9t1y3u5'],
        }),
    }),
    output: null,
    errors: ['not_found'],
    run: ({ services, userId }, { params }) =>
      services.pushSubscriptions.unsubscribe(userId, params.id),
  }),
];
