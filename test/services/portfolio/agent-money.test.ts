import { expect, it } from 'vitest';
import { createMemoryBus } from '../../../src/adapters/bus/memory-bus.ts';
import type { AgentMode } from '../../../src/domain/agent.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { followAgentMoney } from '../../../src/services/portfolio/agent-money.ts';
import { aPosition, aUserId, T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptLog } from '../../support/quiet.ts';

const usd = (dollars: number) => usdcMicros(dollars * 1_000_000);

function following() {
  const metrics = createCountingMetrics();
  const buses = {
    live: createMemoryBus({ log: createKeptLog() }),
    paper: createMemoryBus({ log: createKeptLog() }),
  };
  const money = followAgentMoney({
    buses,
    isShadow: (userId) => userId === aUserId('shadow'),
    metrics,
  });
  const change = (mode: AgentMode, changes: Parameters<typeof aPosition>[0]) => {
    const position = aPosition(changes);
    const { userId } = position;
    buses[mode].publish([
      { seq: 1, event: { type: 'position.changed', userId, atMs: T0, position } },
    ]);
  };
  return { metrics, money, change };
}

it('counts profits and losses of each agent apart, real money and paper, and what a reversed trade takes back', () => {
  const { metrics, change } = following();
  change('live', { feesUsdc: usd(1) });
  change('live', { realizedPnl: usd(4), feesUsdc: usd(3) });
  change('live', { realizedPnl: usd(-1), feesUsdc: usd(3) });
  change('paper', { realizedPnl: usd(0) });
  change('paper', { realizedPnl: usd(2) });
  change('paper', { userId: aUserId('shadow'), feesUsdc: usd(8) });
  change('live', { agentId: null, userId: aUserId(2), realizedPnl: usd(0), feesUsdc: usd(9) });
  expect(metrics.counts).toEqual({
    'agent_fees_usdc_total agent=btc_5min mode=live': 3,
    'agent_fees_usdc_total agent=btc_5min mode=paper': 0.1,
    'agent_realised_usdc_total agent=btc_5min mode=live sign=profit': 4,
    'agent_realised_usdc_total agent=btc_5min mode=live sign=loss': 5,
    'agent_realised_usdc_total agent=btc_5min mode=paper sign=profit': 2,
  });
});

it('counts only what comes after the start of a position that was there before it', () => {
  const { metrics, money, change } = following();
  money.found('live', aPosition({ realizedPnl: usd(10), feesUsdc: usd(5) }));
  change('live', { realizedPnl: usd(11), feesUsdc: usd(5) });
  money.found('live', aPosition({ realizedPnl: usd(10) }));
  change('live', { realizedPnl: usd(12), feesUsdc: usd(5) });
  change('live', { userId: aUserId(2), realizedPnl: usd(7) });
  money.stop();
  change('live', { realizedPnl: usd(90) });
  expect(metrics.counts).toEqual({
    'agent_realised_usdc_total agent=btc_5min mode=live sign=profit': 2,
  });
});
