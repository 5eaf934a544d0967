import { z } from 'zod';
import type { RiskCaps } from '../../domain/reservation.ts';
import { formatMicros } from '../../domain/units.ts';
import type { UserLimits } from '../../services/user-limits.ts';
import { userRoute } from '../route.ts';
import { amountField, usdcOut } from './fields.ts';

const usd = amountField
  .nullable()
  .optional()
  .meta({ description: 'USD; null takes it away, absent leaves it.' });
const limitsBody = z.strictObject({
  maxOrderSize: usd,
  maxTotalExposure: usd,
  maxOpenPositions: z.int().min(0).max(100_000).nullable().optional(),
  maxDailyLoss: usd,
});
const capsOut = z.object({
  maxOrderSize: usdcOut.nullable(),
  maxTotalExposure: usdcOut.nullable(),
  maxOpenPositions: z.int().nullable(),
  maxDailyLoss: usdcOut.nullable(),
});
const limitsOut = z
  .object({
    user: capsOut,
    operator: capsOut.meta({ description: 'Those of the operator, which bind beside yours.' }),
  })
  .meta({ id: 'UserLimits' });

function viewCaps({
  orderUsdc,
  exposureUsdc,
  openPositions,
  dailyLossUsdc,
}: RiskCaps): z.input<typeof capsOut> {
  const text = (micros: RiskCaps['orderUsdc']) =>
    micros === undefined ? null : formatMicros(micros);
  return {
    maxOrderSize: text(orderUsdc),
    maxTotalExposure: text(exposureUsdc),
    maxOpenPositions: openPositions ?? null,
    maxDailyLoss: text(dailyLossUsdc),
  };
}

function viewLimits({ user, operator }: ReturnType<UserLimits['read']>): z.input<typeof limitsOut> {
  return { user: viewCaps(user), operator: viewCaps(operator) };
}

/** Caps a user sets for themselves. */
export const userLimitRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/limits',
    budget: 'reads',
    operationId: 'getUserLimits',
    summary: 'Your limits on risk, and those of the operator',
    description: 'Limits you set for yourself, and those of the service, which hold beside them.',
    output: limitsOut,
    run: ({ services, userId }) => viewLimits(services.userLimits.read(userId)),
  }),
  userRoute({
    family: 'user',
    method: 'PUT',
    path: '/api/user/limits',
    budget: 'writes',
    operationId: 'updateUserLimits',
    summary: 'Set limits on all you have at risk, manually and by agents; those not named stay',
    description:
      'Changes the limits named in the body and leaves the others; null takes one away. They hold for trading ' +
      'manually and by agents together.',
    body: limitsBody,
    output: limitsOut,
    errors: ['setting_out_of_range'],
    run: async ({ services, userId }, { body }) => {
      await services.userLimits.change(userId, {
        orderUsdc: body.maxOrderSize,
        exposureUsdc: body.maxTotalExposure,
        openPositions: body.maxOpenPositions,
        dailyLossUsdc: body.maxDailyLoss,
      });
      return viewLimits(services.userLimits.read(userId));
    },
  }),
];
