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
import type { Comparison } from '../../domain/paper-comparison.ts';
import { formatDecimal, formatMicros, usdcMicros } from '../../domain/units.ts';
import type { StoppedAgent } from '../../services/agents/stops.ts';
import type {
  AgentPerformance,
  AgentPerformanceView,
  AgentsPerformance,
  AgentView,
} from '../../services/agents/agent-views.ts';
import { decimalOut, partOut, priceOut, usdcOut } from '../routes/fields.ts';
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
      .meta({ description: 'What stands between the agent and being enabled.' }),
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
        'What its entry brought in the end, fees included; null while the position is open, and of what entered nothing.',
    }),
    chain: z.object({ seq: z.int(), hash: z.string(), previousHash: z.string() }).nullable().meta({
      description:
        'The journal entry that holds this receipt, its link (SHA-256 over the link before, the number and the entry), and the link before; null for receipts older than the chain.',
    }),
  })
  .meta({ id: 'DecisionWithOrder' });

/** How an agent has done, in answers. */
const performanceOut = z
  .object({
    trades: z.int().meta({ description: 'Entry orders made.' }),
    filledTrades: z.int().meta({ description: 'Entry orders that bought something.' }),
    fillRate: partOut.nullable().meta({
      description:
        'Ended entries that bought something, as a part of all that ended; null before the first ended.',
    }),
    wins: z.int().meta({
      description:
        'Positions that ended with a profit, and open ones that were sold in part and have brought one so far.',
    }),
    losses: z.int().meta({
      description:
        'Positions that ended without a profit, and open ones whose sales brought a loss.',
    }),
    winRate: partOut
      .nullable()
      .meta({ description: 'Wins as a part of wins and losses; null before the first.' }),
    realizedPnl: usdcOut,
    maxDrawdown: decimalOut.meta({
      description: 'Furthest the realised profit fell below its highest, in USDC.',
    }),
    unrealizedPnl: usdcOut.meta({
      description: 'Of the open positions that have a price, in USDC.',
    }),
    unpricedPositions: z.int(),
    openPositions: z.int(),
    exposureUsdc: decimalOut,
    feesUsdc: decimalOut,
  })
  .meta({ id: 'AgentPerformance' });

const differenceOut = z
  .object({
    entries: z.int().meta({ description: 'Real entries that have ended and were compared.' }),
    liveFilled: z.int(),
    paperFilled: z.int(),
    bothFilled: z.int(),
    slippageUsdc: decimalOut.meta({
      description:
        'Paid for real beyond what paper paid a share, over the entries that both filled; below zero when real was cheaper.',
    }),
    slippagePerShare: priceOut.nullable(),
    feesUsdc: z.object({ live: usdcOut, paper: usdcOut }),
    realizedPnl: z.object({ live: usdcOut, paper: usdcOut }),
  })
  .meta({ id: 'PaperDifference' });

/** How an agent has done for real and on paper, in answers. */
export const performanceWithPaperOut = performanceOut
  .extend({
    paper: z
      .object({
        account: performanceOut.meta({
          description: 'Enabled on paper, with the paper money of the user.',
        }),
        shadow: performanceOut.nullable().meta({
          description:
            'The run on paper beside the live agent, shared by all with its signal and sizes.',
        }),
        difference: differenceOut,
      })
      .nullable(),
  })
  .meta({ id: 'AgentPerformanceWithPaper' });

/** How each agent and all of them have done, in answers. */
export const agentsPerformanceOut = z
  .object({
    data: z.array(performanceOut.extend({ agent: z.enum(AGENT_IDS) })),
    total: performanceOut,
  })
  .meta({ id: 'AgentsPerformance' });

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

/** Writes an agent's performance as callers see it. */
function viewPerformance(performance: AgentPerformance): z.input<typeof performanceOut> {
  return {
    trades: performance.trades,
    filledTrades: performance.filledTrades,
    fillRate:
      performance.fillRateMicros === null ? null : formatDecimal(performance.fillRateMicros, 6),
    wins: performance.wins,
    losses: performance.losses,
    winRate:
      performance.winRateMicros === null ? null : formatDecimal(performance.winRateMicros, 6),
    realizedPnl: formatMicros(performance.realizedPnl),
    maxDrawdown: formatMicros(performance.drawdownUsdc),
    unrealizedPnl: formatMicros(performance.unrealizedPnl),
    unpricedPositions: performance.unpricedPositions,
    openPositions: performance.openPositions,
    exposureUsdc: formatMicros(performance.exposureUsdc),
    feesUsdc: formatMicros(performance.feesUsdc),
  };
}

/** Writes the performance of all agents as callers see it. */
export function viewAgentsPerformance({
  agents,
  total,
}: AgentsPerformance): z.input<typeof agentsPerformanceOut> {
  return {
    data: agents.map(({ agentId, performance }) => ({
      agent: agentId,
      ...viewPerformance(performance),
    })),
    total: viewPerformance(total),
  };
}

/** Writes an agent's performance, for real and on paper, as callers see it. */
export function viewPerformanceWithPaper({
  paper,
  ...performance
}: AgentPerformanceView): z.input<typeof performanceWithPaperOut> {
  return {
    ...viewPerformance(performance),
    paper:
      paper === null
        ? null
        : {
            account: viewPerformance(paper.own),
            shadow: paper.shadow === null ? null : viewPerformance(paper.shadow),
            difference: viewDifference(paper.difference),
          },
  };
}

function viewDifference(difference: Comparison): z.input<typeof differenceOut> {
  const { entries, liveFilled, paperFilled, bothFilled, slippageUsdc, comparedShares } = difference;
  const usd = (micros: number): string => formatMicros(usdcMicros(micros));
  return {
    entries,
    liveFilled,
    paperFilled,
    bothFilled,
    slippageUsdc: usd(slippageUsdc),
    slippagePerShare:
      comparedShares === 0 ? null : usd(Math.round((slippageUsdc * 1_000_000) / comparedShares)),
    feesUsdc: { live: usd(difference.liveFeesUsdc), paper: usd(difference.paperFeesUsdc) },
    realizedPnl: {
      live: usd(difference.liveRealisedUsdc),
      paper: usd(difference.paperRealisedUsdc),
    },
  };
}
