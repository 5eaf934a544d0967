import { z } from 'zod';
import {
  AGENT_MODES,
  modeOf,
  STOP_POLICIES,
  AGENT_ACTIVITIES,
  type DecisionRecord,
} from '../../domain/agent.ts';
import { DEGRADED_CODES } from '../../domain/degraded.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import { formatMicros } from '../../domain/units.ts';
import type { StoppedAgent } from '../../services/agents/stops.ts';
import type { AgentView } from '../../services/agents/agent-views.ts';
import { decimalOut, usdcOut } from '../routes/fields.ts';
import { marketTimeOut } from '../wall-times.ts';
import { orderOut, viewOrder } from './order.ts';
import type { DecisionView } from '../../services/execution/receipts-list.ts';

/** Settings in answers, by the names of the spec. */
export const settingsOut = z
  .object({
    enabled: z.boolean(),
    minPositionSize: usdcOut,
    avgPositionSize: usdcOut,
    maxPositionSize: usdcOut,
    strategy: z.string(),
    notifyOnTrade: z.boolean(),
    maxOpenPositions: z.int().optional().meta({
      description: 'This and the next six only of farming agents, each of those that have it.',
    }),
    maxTotalExposure: usdcOut.optional(),
    maxDailyLoss: usdcOut.optional(),
    minProbabilityPercent: decimalOut.optional(),
    maxProbabilityPercent: decimalOut.optional(),
    maxHoursToExpiry: z.int().optional(),
    stopLossPercent: decimalOut.optional(),
    inferenceDifferencePercent: decimalOut
      .optional()
      .meta({ description: 'Only of strategies that read it.' }),
  })
  .meta({ id: 'AgentSettings' });

/** An agent in answers and on sockets. */
export const agentOut = z
  .object({
    agent: z.enum(AGENT_IDS),
    title: z.string(),
    kind: z.enum(['round', 'farming']),
    asset: z.string().nullable().meta({
      description: 'Asset and length of the rounds it trades; null for an agent that farms.',
    }),
    minutes: z.int().nullable(),
    strategies: z.array(z.string()),
    rules: z.array(z.object({ strategy: z.string(), rule: z.string() })).meta({
      description:
        'By what each strategy enters and leaves, for people, with the thresholds its receipts state; of an agent that farms with those of its settings.',
    }),
    enabled: z.boolean(),
    mode: z
      .enum(AGENT_MODES)
      .meta({ description: 'Real money (live) or paper; what it was enabled with last.' }),
    activity: z.enum(AGENT_ACTIVITIES),
    settings: settingsOut,
    degraded: z
      .array(
        z.object({ code: z.enum(DEGRADED_CODES), message: z.string(), startedAtMs: marketTimeOut }),
      )
      .meta({ description: 'Why the agent does not decide just now; empty when it does.' }),
    onStop: z.enum(STOP_POLICIES).meta({
      description:
        'What a stop does: keep orders and positions, cancel open orders, or cancel them and sell the positions.',
    }),
    stopping: z
      .object({ policy: z.enum(STOP_POLICIES), startedAtMs: marketTimeOut })
      .nullable()
      .meta({ description: 'What a stop is still ending; null when nothing.' }),
    missing: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .meta({ description: 'What prevents the agent from being enabled.' }),
    updatedAtMs: marketTimeOut.nullable(),
  })
  .meta({ id: 'Agent' });

/** What a stop of all agents did with each. */
export const stoppedOut = z
  .object({
    agent: z.enum(AGENT_IDS),
    wasEnabled: z.boolean(),
    onStop: z.enum(STOP_POLICIES),
    orders: z.object({ open: z.int(), handling: z.enum(['kept', 'cancelled']) }),
    positions: z.object({ open: z.int(), handling: z.enum(['kept', 'sold']) }),
  })
  .meta({ id: 'StoppedAgent' });

/**
 * Writes what a stop did with an agent. One that was off before is left as it is, with whatever its
 * own stop is still ending.
 */
export function viewStopped({
  agentId,
  wasEnabled,
  policy,
  openOrders,
  positions,
}: StoppedAgent): z.input<typeof stoppedOut> {
  return {
    agent: agentId,
    wasEnabled,
    onStop: policy,
    orders: { open: openOrders, handling: policy === 'keep' ? 'kept' : 'cancelled' },
    positions: { open: positions, handling: policy === 'close' ? 'sold' : 'kept' },
  };
}

/** A receipt in answers and on sockets (L11). */
export const receiptOut = z
  .object({
    decisionId: z.string(),
    agent: z.enum(AGENT_IDS),
    marketId: z.string(),
    strategy: z.string(),
    decidedAtMs: marketTimeOut,
    verdict: z.enum(['enter', 'hold', 'exit', 'skip']),
    side: z.enum(['yes', 'no']).nullable(),
    reason: z.string(),
    criteria: z
      .array(
        z.object({
          name: z.string(),
          value: z.string(),
          threshold: z.string(),
          passed: z.boolean(),
        }),
      )
      .meta({
        description:
          'What was asked for, each with its value against its threshold. A signal strength in percent is a score of the signal, not the chance that the side wins.',
      }),
    inputs: z.array(
      z.object({
        name: z.string(),
        value: z.string().nullable(),
        ageMs: z.number().nullable(),
        limitMs: z.number(),
      }),
    ),
    amountUsdc: decimalOut.nullable(),
    mode: z.enum(AGENT_MODES),
    outcome: z.object({
      kind: z.enum(['none', 'order', 'refused']),
      id: z.string().nullable(),
      code: z.string().nullable(),
      message: z.string().nullable(),
    }),
  })
  .meta({ id: 'Decision' });

/** A receipt with the order it led to and its place in the journal's chain. */
export const decisionOut = receiptOut
  .extend({
    order: orderOut.nullable(),
    realizedPnl: usdcOut.nullable().meta({
      description:
        'What its entry brought in the end, fees included, without gas; null while the position is open, and of what entered nothing.',
    }),
    chain: z.object({ seq: z.int(), hash: z.string(), previousHash: z.string() }).nullable().meta({
      description:
        'The journal entry that holds this receipt, its link (SHA-256 over the link before, the number and the entry), and the link before; null for receipts older than the chain.',
    }),
  })
  .meta({ id: 'DecisionWithOrder' });

/** Writes an agent as callers see it. */
export function viewAgent(view: AgentView): z.input<typeof agentOut> {
  const {
    profile,
    strategies,
    rules,
    enabled,
    mode,
    activity,
    degraded,
    onStop,
    unwind,
    missing,
    updatedAtMs,
  } = view;
  return {
    agent: profile.agentId,
    title: profile.title,
    kind: profile.kind,
    asset: profile.kind === 'round' ? profile.asset : null,
    minutes: profile.kind === 'round' ? profile.minutes : null,
    strategies: [...strategies],
    rules: rules.map((each) => ({ ...each })),
    enabled,
    mode,
    activity,
    settings: viewAgentSettings(view),
    degraded: degraded.map(({ code, message, sinceMs }) => ({
      code,
      message,
      startedAtMs: sinceMs,
    })),
    onStop,
    stopping: unwind === null ? null : { policy: unwind.policy, startedAtMs: unwind.sinceMs },
    missing: missing.map(({ path, message }) => ({ path, message })),
    updatedAtMs,
  };
}

/** Writes an agent's settings as callers see them. */
export function viewAgentSettings({ enabled, settings }: AgentView): z.input<typeof settingsOut> {
  return { enabled, ...settings };
}

/** Writes a receipt as callers see it. */
export function viewReceipt(record: DecisionRecord): z.input<typeof receiptOut> {
  const { decisionId, agentId, marketId, strategy, atMs, decision, outcome } = record;
  return {
    decisionId,
    agent: agentId,
    marketId,
    strategy,
    decidedAtMs: atMs,
    verdict: decision.verdict,
    side: decision.outcome === null ? null : decision.outcome === 0 ? 'yes' : 'no',
    reason: decision.reason,
    criteria: decision.criteria.map((criterion) => ({ ...criterion })),
    inputs: record.inputs.map((input) => ({ ...input })),
    mode: modeOf(record),
    amountUsdc: record.amountUsdc === null ? null : formatMicros(record.amountUsdc),
    outcome: {
      kind: outcome.kind,
      id: outcome.kind === 'order' ? outcome.intentId : null,
      code: outcome.kind === 'refused' ? outcome.code : null,
      message: outcome.kind === 'refused' ? outcome.message : null,
    },
  };
}

/** Writes a receipt, its order and its place in the chain as callers see them. */
export function viewDecision({
  decision,
  order,
  realizedPnl,
  place,
}: DecisionView): z.input<typeof decisionOut> {
  return {
    ...viewReceipt(decision),
    order: order === null ? null : viewOrder(order),
    realizedPnl: realizedPnl === null ? null : formatMicros(realizedPnl),
    chain: place === null ? null : { ...place },
  };
}
