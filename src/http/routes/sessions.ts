import { z } from 'zod';
import { userRoute } from '../route.ts';
import { timeOut } from './fields.ts';

const sessionOut = z
  .object({
    sessionId: z.string(),
    method: z.enum(['otp', 'google', 'siwf', 'apikey']),
    program: z.string().nullable().meta({
      description: 'What the device called itself last (`User-Agent`); null where it is not known.',
    }),
    isCurrent: z.boolean().meta({ description: 'True of the session this call is made in.' }),
    beganAtMs: timeOut,
    usedAtMs: timeOut.meta({ description: 'When it last got tokens.' }),
    expiresAtMs: timeOut.meta({ description: 'When it ends unless it gets new tokens before.' }),
  })
  .meta({ id: 'Session' });

/** Signed-in devices of a user. No API key reaches these, and no token is shown. */
export const sessionRoutes = [
  userRoute({
    family: 'auth',
    method: 'GET',
    path: '/api/auth/sessions/',
    budget: 'reads',
    auth: 'user_without_username',
    scope: 'session',
    operationId: 'listSessions',
    summary: 'List your sessions, the one begun last first',
    description: 'Every device that is signed in, and since when. No token is among it.',
    output: z.object({ data: z.array(sessionOut), nextCursor: z.null() }),
    run: ({ services, userId, sessionId: current }) => ({
      data: services.sessions
        .list(userId)
        .map((session) => ({ ...session, isCurrent: session.sessionId === current })),
      nextCursor: null,
    }),
  }),
  userRoute({
    family: 'auth',
    method: 'DELETE',
    path: '/api/auth/sessions/',
    budget: 'stops',
    auth: 'user_without_username',
    scope: 'session',
    operationId: 'endOtherSessions',
    summary: 'End all your sessions but this one',
    description:
      'Ends every other session and its tokens at once; sockets of theirs are closed within half a minute.',
    output: z.object({ ended: z.int().min(0) }),
    run: async ({ services, userId, sessionId }) => ({
      ended: await services.sessions.endOthers(userId, sessionId),
    }),
  }),
  userRoute({
    family: 'auth',
    method: 'DELETE',
    path: '/api/auth/sessions/:id/',
    budget: 'stops',
    auth: 'user_without_username',
    scope: 'session',
    status: 204,
    operationId: 'endSession',
    summary: 'End one of your sessions and its tokens',
    description: 'Ends the session at once; sockets of it are closed within half a minute.',
    params: z.object({
      id: z
        .string()
        .regex(/^ses_[0-9a-z]{26}$/, 'the id of a session')
        .meta({
          description: 'Id of the session, as the list shows it.',
          examples: ['ses_00000000000000000000000000'],
        }),
    }),
    output: null,
    errors: ['not_found'],
    run: ({ services, userId }, { params }) => services.sessions.end(userId, params.id),
  }),
];
