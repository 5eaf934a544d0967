import { z } from 'zod';
import { asId, type UserId } from '../../domain/ids.ts';
import { STOP_POLICY_DEFAULT, type StopScope } from '../../services/orders/stop-check.ts';
import type { OperatorStopPolicy, StopRecord } from '../../services/books/tables.ts';
import { internalRoute, type CallContext } from '../route.ts';
import { marketTimeOut } from '../wall-times.ts';
import { ONE_LINE } from './fields.ts';

const stopBody = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(ONE_LINE, 'no control characters')
    .meta({ description: 'Why, for the journal and for the users who are notified.' }),
  userId: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'One user; absent for everybody.' }),
});
const policyField = z.enum(['keep', 'cancel_only']);
const stopWithPolicyBody = stopBody.extend({
  policy: policyField.default(STOP_POLICY_DEFAULT).meta({
    description:
      'What becomes of buys that are open: cancelled (default), or kept at the venue, where they may still fill. Sales are never cancelled.',
  }),
});
const stopOut = z
  .object({
    scope: z.enum(['all', 'user']),
    stopped: z.boolean(),
    reason: z.string(),
    changedAtMs: marketTimeOut
      .nullable()
      .meta({ description: 'When it was last set or lifted; null when it never was.' }),
    policy: policyField,
    cancelling: z.boolean(),
  })
  .meta({ id: 'TradingStop' });

/** The answer where nothing was ever stopped. */
const NO_STOP: StopRecord = { stopped: false, reason: '', atMs: 0, policy: 'keep' };

/** A stop of the operator. */
type OperatorScope = StopScope & { readonly kind: 'all' | 'user' };

function scopeOf({ services }: CallContext, userId: string | undefined): OperatorScope {
  if (userId === undefined) return { kind: 'all' };
  return { kind: 'user', userId: services.accounts.profile(asId<UserId>(userId)).userId };
}

function viewStop(
  { services }: CallContext,
  scope: OperatorScope,
  { stopped, reason, atMs, policy }: StopRecord,
): z.input<typeof stopOut> {
  return {
    scope: scope.kind,
    stopped,
    reason,
    changedAtMs: atMs === 0 ? null : atMs,
    policy,
    cancelling: services.orders.isSweeping(scope),
  };
}

interface SetStop extends z.output<typeof stopBody> {
  readonly stopped: boolean;
  readonly policy: OperatorStopPolicy;
}

async function setStop(
  context: CallContext,
  { reason, userId, stopped, policy }: SetStop,
): Promise<z.input<typeof stopOut>> {
  const scope = scopeOf(context, userId);
  if (!stopped) context.services.adoption.assertAdopted(scope);
  return viewStop(
    context,
    scope,
    await context.services.orders.setStop(scope, stopped, reason, policy),
  );
}

/** Stops of the operator (L6). */
export const internalStopRoutes = [
  internalRoute({
    family: 'internal',
    method: 'POST',
    path: '/internal/stop',
    budget: 'none',
    reach: 'each',
    operationId: 'stopTrading',
    summary:
      'Stop all buying, or that of one user, until resumed, and cancel open buys unless they are to be kept; sales and cancels go on',
    description:
      'Stops buying, of everybody or of one user, until it is resumed. Sales and cancels go on.',
    body: stopWithPolicyBody,
    output: stopOut,
    errors: ['not_found', 'store_unavailable'],
    run: (context, { body }) => setStop(context, { ...body, stopped: true }),
  }),
  internalRoute({
    family: 'internal',
    method: 'POST',
    path: '/internal/resume',
    budget: 'none',
    reach: 'each',
    operationId: 'resumeTrading',
    summary: 'Lift the stop of all or of one user',
    description:
      'Lifts a stop; orders can be placed again at once. After a restore it is refused as `conflict` until adopting is done; that of everybody also once each user who still lacks something is stopped alone.',
    body: stopBody,
    output: stopOut,
    errors: ['not_found', 'conflict', 'store_unavailable'],
    run: (context, { body }) => setStop(context, { ...body, stopped: false, policy: 'keep' }),
  }),
  internalRoute({
    family: 'internal',
    method: 'GET',
    path: '/internal/stop',
    budget: 'none',
    reach: 'each',
    agreesOn: ['stopped'],
    operationId: 'getTradingStop',
    summary: 'See whether buying is stopped for all',
    description: 'Whether everybody is stopped, since when and why.',
    output: stopOut,
    run: (context) =>
      viewStop(
        context,
        { kind: 'all' },
        context.services.orders.stopOf({ kind: 'all' }) ?? NO_STOP,
      ),
  }),
];
