import { z } from 'zod';
import type { UserId } from '../../domain/ids.ts';
import { STOP_POLICY_DEFAULT, STOP_REASON_DEFAULT } from '../../services/orders/stop-check.ts';
import type { ApiServices } from '../services.ts';
import { userRoute } from '../route.ts';
import { marketTimeOut } from '../wall-times.ts';
import { ONE_LINE } from './fields.ts';

const policyField = z.enum(['keep', 'cancel_only']);

const stopBody = z
  .strictObject({
    policy: policyField.default(STOP_POLICY_DEFAULT).meta({
      description:
        'What becomes of buys that are open, of agents and manually: cancelled (default), or kept at the venue, where they may still fill. Sales are never cancelled.',
    }),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(ONE_LINE, 'no control characters')
      .optional()
      .meta({
        description:
          'A note to yourself, kept while the stop is set, unless stopping again gives another.',
      }),
  })
  .optional();

const userStopOut = z
  .object({
    stopped: z.boolean().meta({ description: 'Whether you stopped your trading.' }),
    policy: policyField.nullable().meta({
      description: 'What your stop does with open buys; null while you are not stopped.',
    }),
    reason: z.string().nullable().meta({
      description:
        'Your note to yourself; null while you are not stopped, and where you left none.',
    }),
    changedAtMs: marketTimeOut.nullable().meta({
      description:
        'When you last stopped or resumed, in epoch milliseconds; null when you never did.',
    }),
    cancelling: z.boolean().meta({ description: 'Whether open buys are still being cancelled.' }),
    openBuys: z.int().meta({
      description:
        'Buys open now, of agents and manually; in the answer to a stop those it found open.',
    }),
    operator: z
      .object({ scope: z.enum(['all', 'user']), reason: z.string(), changedAtMs: marketTimeOut })
      .nullable()
      .meta({
        description:
          'A stop of the operator, over everybody or over you, which holds beside yours and only the operator lifts; null without one.',
      }),
  })
  .meta({ id: 'UserStop' });

function viewStop(
  { orders }: Pick<ApiServices, 'orders'>,
  userId: UserId,
  openBuys = countBuys(orders, userId),
): z.input<typeof userStopOut> {
  const scope = { kind: 'self', userId } as const;
  const last = orders.stopOf(scope);
  const stop = last?.stopped === true ? last : null;
  return {
    stopped: stop !== null,
    policy: stop === null ? null : stop.policy,
    reason: stop === null || stop.reason === STOP_REASON_DEFAULT ? null : stop.reason,
    changedAtMs: last?.atMs ?? null,
    cancelling: orders.isSweeping(scope),
    openBuys,
    operator: operatorStop(orders, userId),
  };
}

function countBuys(orders: ApiServices['orders'], userId: UserId): number {
  return orders.listOpen(userId).filter(({ intent }) => intent.side === 'buy').length;
}

function operatorStop(
  orders: ApiServices['orders'],
  userId: UserId,
): z.input<typeof userStopOut>['operator'] {
  for (const scope of [{ kind: 'all' }, { kind: 'user', userId }] as const) {
    const stop = orders.stopOf(scope);
    if (stop?.stopped === true)
      return { scope: scope.kind, reason: stop.reason, changedAtMs: stop.atMs };
  }
  return null;
}

/**
 * A stop that users set for themselves, over all that is traded for them (L6). A key that may trade
 * may stop; only a person lets trading go on.
 */
export const userStopRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/stop',
    budget: 'reads',
    operationId: 'getUserStop',
    summary: 'See whether your trading is stopped, by you or by the operator',
    description:
      'Whether you stopped your trading, since when, what became of open buys, and whether the operator holds it back as well.',
    output: userStopOut,
    run: ({ services, userId }) => viewStop(services, userId),
  }),
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/stop',
    budget: 'stops',
    scope: 'trade',
    operationId: 'stopUserTrading',
    summary:
      'Stop all your trading, manually and by agents, until you resume it; sales and cancels go on',
    description:
      'From the moment of the answer on nothing is bought for you, over any restart. Open buys are cancelled unless you keep them. ' +
      'Sales, cancels and the exits of agents go on, so that you can always get out. Stopping again changes nothing, unless it cancels what was kept or gives another reason.',
    body: stopBody,
    output: userStopOut,
    errors: ['store_unavailable'],
    run: async ({ services, userId }, { body }) => {
      const openBuys = countBuys(services.orders, userId);
      await services.orders.setStop(
        { kind: 'self', userId },
        true,
        body?.reason ?? null,
        body?.policy ?? STOP_POLICY_DEFAULT,
      );
      return viewStop(services, userId, openBuys);
    },
  }),
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/resume',
    budget: 'writes',
    operationId: 'resumeUserTrading',
    summary: 'Let your trading go on after you stopped it; a stop of the operator stays',
    description:
      'Takes your own stop back: orders are taken again, and agents that are enabled go on; one that was disabled stays so. What was cancelled stays cancelled.',
    output: userStopOut,
    errors: ['store_unavailable'],
    run: async ({ services, userId }) => {
      await services.orders.setStop({ kind: 'self', userId }, false, 'resumed by the user', 'keep');
      return viewStop(services, userId);
    },
  }),
];
