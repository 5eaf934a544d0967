import { AGENT_MONEY } from '../../../config/limits/figures.ts';
import type { AgentMode } from '../../domain/agent.ts';
import type { UserId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { MICROS_PER_UNIT, usdcMicros } from '../../domain/units.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** Counts what agents realise and pay in fees. */
export interface AgentMoney {
  /** Takes up a position that was there before the start. */
  found(mode: AgentMode, position: PositionRecord): void;
  stop(): void;
}

type Known = Pick<PositionRecord, 'realizedPnl' | 'feesUsdc'>;

const NOTHING: Known = { realizedPnl: usdcMicros(0), feesUsdc: usdcMicros(0) };

/**
 * Follows positions of agents from one fact to the next. The newest AGENT_MONEY.positionsRemembered
 * are remembered, ended ones too, for a trade may be taken back; of one that was forgotten and had
 * realised something the next change is left out.
 */
export function followAgentMoney({
  buses,
  isShadow,
  metrics,
}: {
  readonly buses: Readonly<Record<AgentMode, Bus>>;
  /** Reports whether a user is the owner of a shadow run, which nothing counts. */
  readonly isShadow: (userId: UserId) => boolean;
  readonly metrics: Metrics;
}): AgentMoney {
  const known = new Map<string, Known>();

  function remember(mode: AgentMode, { userId, tokenId, ...position }: PositionRecord): void {
    const name = nameOf(mode, { userId, tokenId });
    known.delete(name);
    known.set(name, { realizedPnl: position.realizedPnl, feesUsdc: position.feesUsdc });
    const [oldest] = known.keys();
    if (known.size > AGENT_MONEY.positionsRemembered && oldest !== undefined) known.delete(oldest);
  }

  function take(mode: AgentMode, position: PositionRecord): void {
    const { userId, agentId: agent, realizedPnl, feesUsdc } = position;
    if (agent === null || isShadow(userId)) return;
    const before = known.get(nameOf(mode, position)) ?? (realizedPnl === 0 ? NOTHING : null);
    remember(mode, position);
    if (before === null) return;
    const realised = realizedPnl - before.realizedPnl;
    const fees = feesUsdc - before.feesUsdc;
    if (realised !== 0)
      metrics.count(
        'agent_realised_usdc_total',
        { agent, mode, sign: realised > 0 ? 'profit' : 'loss' },
        Math.abs(realised) / MICROS_PER_UNIT,
      );
    if (fees > 0) metrics.count('agent_fees_usdc_total', { agent, mode }, fees / MICROS_PER_UNIT);
  }

  const follow = (mode: AgentMode) =>
    buses[mode].subscribe(({ event }) => {
      if (event.type === 'position.changed') take(mode, event.position);
    });
  const stops = [follow('live'), follow('paper')];
  return {
    found(mode, position) {
      if (position.agentId !== null && !known.has(nameOf(mode, position))) remember(mode, position);
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

function nameOf(
  mode: AgentMode,
  { userId, tokenId }: Pick<PositionRecord, 'userId' | 'tokenId'>,
): string {
  return `${mode} ${userId} ${tokenId}`;
}
