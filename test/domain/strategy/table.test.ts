import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { roundProfile } from '../../../src/domain/agent.ts';
import { AGENT_IDS } from '../../../src/domain/ids.ts';
import { defaultSettings } from '../../../src/domain/settings.ts';
import { groupKeyOf } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { T0 } from '../../support/builders.ts';
import { aRoundView } from '../../support/worlds/round-views.ts';

const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);

describe('the strategy table', () => {
  it('has the strategies of the spec with their order types, the default one first', () => {
    const rows = AGENT_IDS.map((agentId) => [
      agentId,
      ...STRATEGIES.of(agentId).map(
        ({ strategy, order }) =>
          `${strategy} ${order.kind === 'limit' ? `limit ${order.price}` : `market to ${order.worstPrice}`}`,
      ),
    ]);
    expect(rows).toEqual([
      [
        'btc_5min',
        'up_down market to 9800',
        'confirmed_lead market to 9800',
        'limiter limit 6000',
        'inference_strike limit 6000',
        'max limit 6000',
      ],
      ['eth_15min', 'up_down market to 9800', 'up_only market to 9800'],
      ['btc_15min', 'up_down market to 9800', 'up_only market to 9800'],
      ['sol_15min', 'up_down market to 9800', 'up_only market to 9800'],
      ['venue_a_farming'],
      ['venue_b_farming'],
    ]);
    expect(STRATEGIES.rows).toHaveLength(11);
  });

  it('gives nothing for a strategy the agent does not have', () => {
    expect([
      STRATEGIES.row('btc_5min', 'up_only'),
      STRATEGIES.row('eth_15min', 'max'),
      STRATEGIES.row('btc_5min', ''),
    ]).toEqual([null, null, null]);
  });

  it('puts agents with the same thresholds in one group, and others apart', () => {
    const row = STRATEGIES.rows[0];
    if (row === undefined) throw new Error('the table is empty');
    const sized = { ...settings, notifyOnTrade: false, avgPositionSize: settings.maxPositionSize };
    expect(groupKeyOf(row, sized)).toBe(groupKeyOf(row, settings));
    expect(groupKeyOf(row, { ...settings, inferenceDifferenceMicros: 600 })).toBe(
      'btc_5min:up_down:600',
    );
    expect(new Set(STRATEGIES.rows.map((each) => groupKeyOf(each, settings))).size).toBe(
      STRATEGIES.rows.length,
    );
  });

  it('does not part agents by a setting their strategy does not read', () => {
    for (const row of STRATEGIES.rows.filter(({ reads }) => reads.length === 0)) {
      expect(groupKeyOf(row, { ...settings, inferenceDifferenceMicros: 600 })).toBe(
        groupKeyOf(row, settings),
      );
    }
  });

  it('closes every entry window before the round ends, and leaves a bid time to rest', () => {
    for (const { agentId, window, order } of STRATEGIES.rows) {
      const roundMs = roundProfile(agentId).minutes * 60_000;
      expect(window.opensAfterMs).toBeLessThan(window.closesAfterMs);
      expect(window.closesAfterMs).toBeLessThan(roundMs);
      if (order.kind === 'market') continue;
      expect(order.endsAfterMs).toBeGreaterThanOrEqual(window.closesAfterMs + 30_000);
      expect(order.endsAfterMs).toBeLessThan(roundMs);
    }
  });

  it('L10: gives the same decision for the same view, whatever was judged in between', () => {
    for (const row of STRATEGIES.rows) {
      const judge = row.judgeFor(settings);
      const view = aRoundView();
      const first = judge.judge(view);
      judge.judge(aRoundView({ atMs: T0 + 299_000, oracle: null }));
      judge.after(aRoundView({ atMs: T0 + 59_000 }));
      expect(judge.judge(structuredClone(view))).toEqual(first);
    }
  });
});
