import { z } from 'zod';
import { PUSH } from '../../../config/limits/notification.ts';
import { userRoute } from '../route.ts';
import { timeOut } from './fields.ts';

const subscriptionOut = z.object({
  id: z.string(),
  host: z.string().meta({ description: "The browser's push service." }),
  createdAtMs: timeOut,
}).meta({ id: 'PushSubscription' });

function viewSubscription({ subscriptionId: id, host, createdAtMs }: { readonly subscriptionId: string; readonly host: string; readonly createdAtMs: number }): z.input<typeof subscriptionOut> {
  return { id, host, createdAtMs };
}

/** Browsers that are told of trades. Only people who signed in change them, not keys. */
export const pushRoutes = [
  userRoute({
    family: 'user', method: 'GET', path: '/api/user/push/vapid-key', budget: 'reads',
    summary: 'The key a browser subscribes with (applicationServerKey)',
    output: z.object({ publicKey: z.string().meta({ description: 'Base64url of an uncompressed point of P-256.' }) }),
    errors: ['push_unavailable'],
    run: ({ services }) => ({ publicKey: services.pushSubscriptions.publicKey() }),
  }),
  userRoute({
    family: 'user', method: 'POST', path: '/api/user/push/subscriptions', budget: 'writes', status: 201,
    summary: 'Have a browser told of your trades; the same one again replaces its keys',
    body: z.strictObject({
      endpoint: z.string().min(1).max(PUSH.endpointMaximumChars),
      expirationTime: z.number().nullable().optional().meta({ description: 'As browsers send it; not used.' }),
      keys: z.strictObject({ p256dh: z.string().min(1).max(200), auth: z.string().min(1).max(100) }),
    }).meta({ id: 'PushSubscriptionJson', description: "A PushSubscription's toJSON()." }),
    output: subscriptionOut,
    errors: ['push_unavailable'],
    run: async ({ services, userId }, { body: { endpoint, keys } }) => viewSubscription(await services.pushSubscriptions.subscribe(userId, { endpoint, keys })),
  }),
  userRoute({
    family: 'user', method: 'GET', path: '/api/user/push/subscriptions', budget: 'reads',
    summary: 'List the browsers that are told, oldest first',
    output: z.object({ data: z.array(subscriptionOut), nextCursor: z.null() }),
    run: ({ services, userId }) => ({ data: services.pushSubscriptions.list(userId).map(viewSubscription), nextCursor: null }),
  }),
  userRoute({
    family: 'user', method: 'DELETE', path: '/api/user/push/subscriptions/:id', budget: 'writes', status: 204,
    summary: 'Tell a browser no more',
    params: z.object({ id: z.string().regex(/^sub_[0-9a-z]{26}$/, 'the id of a subscription') }),
    output: null,
    errors: ['not_found'],
    run: ({ services, userId }, { params }) => services.pushSubscriptions.unsubscribe(userId, params.id),
  }),
];
