import { describe, expect, it } from 'vitest';
import { AGENT_PROFILES } from '../../../src/domain/agent.ts';
import { AGENT_IDS } from '../../../src/domain/ids.ts';
import { defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGY_TABLE, strategyRow } from '../../../src/domain/strategy/table.ts';
import { AGENT } from '../../../config/limits.ts';
import { T0 } from '../../support/builders.ts';
import { aRoundView } from '../../support/round-views.ts';

describe('the strategy table', () => {
  it('has one row for each strategy of each agent', () => {
    expect(STRATEGY_TABLE.map(({ agentId, strategy }) => `${agentId} ${strategy}`).sort()).toEqual(
      AGENT_IDS.flatMap((agentId) => AGENT_PROFILES[agentId].strategies.map((strategy) => `${agentId} ${strategy}`)).sort(),
    );
  });

  it('gives nothing for a strategy the agent does not have', () => {
    expect(strategyRow('btc_5min', 'up_only')).toBeNull();
  });

  it('puts agents with the same thresholds in one group, and others apart', () => {
    const row = strategyRow('btc_5min', 'up_down');
    const settings = defaultSettings(AGENT_PROFILES.btc_5min, AGENT);
    const sized = { ...settings, notifyOnTrade: false, avgPositionSize: settings.maxPositionSize };
    expect(row?.groupKey(sized)).toBe(row?.groupKey(settings));
    expect(row?.groupKey({ ...settings, inferenceDifferenceMicros: 600 })).not.toBe(row?.groupKey(settings));
    expect(new Set(STRATEGY_TABLE.map((each) => each.groupKey(settings))).size).toBe(STRATEGY_TABLE.length);
  });

  it('closes every evaluation window before the round ends', () => {
    for (const { agentId, window } of STRATEGY_TABLE) {
      expect(window.closesAfterMs).toBeLessThan(AGENT_PROFILES[agentId].minutes * 60_000);
      expect(window.opensAfterMs).toBeLessThan(window.closesAfterMs);
    }
  });

  it('L10: gives the same decision for the same view, whatever was judged in between', () => {
    const settings = defaultSettings(AGENT_PROFILES.btc_5min, AGENT);
    for (const row of STRATEGY_TABLE) {
      const judge = row.judgeFor(settings);
      const view = aRoundView();
      const first = judge(view);
      judge(aRoundView({ atMs: T0 + 299_000, oracle: null }));
      expect(judge(structuredClone(view))).toEqual(first);
    }
  });
});
