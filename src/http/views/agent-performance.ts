import { z } from 'zod';
import { AGENT_IDS } from '../../domain/ids.ts';
import type { Comparison } from '../../domain/paper-comparison.ts';
import { formatDecimal, formatMicros, usdcMicros } from '../../domain/units.ts';
import type {
  AgentPerformance,
  AgentPerformanceView,
  AgentsPerformance,
} from '../../services/agents/agent-views.ts';
import { decimalOut, partOut, priceOut, usdcOut } from '../routes/fields.ts';

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
    realizedPnl: usdcOut.meta({ description: 'Fees included; gas is not in it.' }),
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
