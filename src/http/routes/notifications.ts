import { z } from 'zod';
import type { NotificationChoice } from '../../services/notifications/tables.ts';
import { userRoute } from '../route.ts';
import { notificationOut, viewNotification } from '../views/notification.ts';
import { pageFields, pageOf, pageOut } from './fields.ts';

const notificationIdField = z
  .string()
  .regex(/^ntf_[1-9]\d{0,14}$/, 'the id of a notification')
  .transform((id) => Number(id.slice('ntf_'.length)));

const choiceOut = z
  .object({
    notifyOnManualTrade: z.boolean().meta({
      description:
        'Whether fills, expiries and unasked cancels of orders placed manually are notified. On unless you turn it off.',
    }),
  })
  .meta({ id: 'NotificationSettings' });

function viewChoice({ manualTrades }: NotificationChoice): z.input<typeof choiceOut> {
  return { notifyOnManualTrade: manualTrades };
}

/** The user's notifications, and which of them they chose. */
export const notificationRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/notifications/',
    budget: 'reads',
    operationId: 'listNotifications',
    summary: 'List your notifications, newest first, with how many are unread',
    description:
      'What you were notified of: trades, ended orders, money that arrived or left, agents that were stopped.',
    query: z.strictObject(pageFields),
    output: pageOut(notificationOut).extend({ unread: z.int() }),
    run: ({ services, userId }, { query }) => {
      const { data, nextCursor, unread } = services.notifications.list(userId, pageOf(query));
      return { data: data.map(viewNotification), nextCursor, unread };
    },
  }),
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/notifications/read',
    budget: 'writes',
    operationId: 'markNotificationsRead',
    summary: 'Mark notifications as read: all, or those up to one',
    description:
      'Marks everything as read, or everything up to the one named. Gives how many are unread after it.',
    body: z.strictObject({
      upTo: notificationIdField
        .optional()
        .meta({ description: 'The newest that was read; all when absent.' }),
    }),
    output: z.object({ unread: z.int() }),
    run: async ({ services, userId }, { body }) => ({
      unread: await services.notifications.read(userId, body.upTo ?? null),
    }),
  }),
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/notifications/settings',
    budget: 'reads',
    operationId: 'getNotificationSettings',
    summary: 'See which notifications you chose',
    description:
      'Which notifications you get. Trades of an agent are chosen with its settings; what concerns your money and your keys is always notified.',
    output: choiceOut,
    run: ({ services, userId }) => viewChoice(services.notifications.choice(userId)),
  }),
  userRoute({
    family: 'user',
    method: 'PUT',
    path: '/api/user/notifications/settings',
    budget: 'writes',
    operationId: 'updateNotificationSettings',
    summary: 'Choose your notifications',
    description:
      'Turns notifications of orders placed manually on or off, from the next fill or end on. Trades of an agent are chosen with its settings.',
    body: z.strictObject({ notifyOnManualTrade: z.boolean('true or false') }),
    output: choiceOut,
    run: async ({ services, userId }, { body }) =>
      viewChoice(
        await services.notifications.choose(userId, { manualTrades: body.notifyOnManualTrade }),
      ),
  }),
];
