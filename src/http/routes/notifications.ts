import { z } from 'zod';
import { userRoute } from '../route.ts';
import { notificationOut, viewNotification } from '../views/notification.ts';
import { pageFields, pageOf, pageOut } from './fields.ts';

const notificationIdField = z.string().regex(/^ntf_[1-9]\d{0,14}$/, 'the id of a notification').transform((id) => Number(id.slice('ntf_'.length)));

/** What the user was told. */
export const notificationRoutes = [
  userRoute({
    family: 'user', method: 'GET', path: '/api/user/notifications/', budget: 'reads',
    operationId: 'listNotifications',
    summary: 'List your notifications, newest first, with how many are unread',
    description: 'What you were told: trades, ended orders, money that arrived or left, agents that were stopped.',
    query: z.strictObject(pageFields),
    output: pageOut(notificationOut).extend({ unread: z.int() }),
    run: ({ services, userId }, { query }) => {
      const { data, nextCursor, unread } = services.notifications.list(userId, pageOf(query));
      return { data: data.map(viewNotification), nextCursor, unread };
    },
  }),
  userRoute({
    family: 'user', method: 'POST', path: '/api/user/notifications/read', budget: 'writes',
    operationId: 'markNotificationsRead',
    summary: 'Mark notifications as read: all, or those up to one',
    description: 'Marks everything as read, or everything up to the one named. Gives how many are unread after it.',
    body: z.strictObject({ upTo: notificationIdField.optional().meta({ description: 'The newest that was read; all when absent.' }) }),
    output: z.object({ unread: z.int() }),
    run: async ({ services, userId }, { body }) => ({ unread: await services.notifications.read(userId, body.upTo ?? null) }),
  }),
];
