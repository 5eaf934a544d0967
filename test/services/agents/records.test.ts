import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { createAgentRecords } from '../../../src/services/agents/records.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptMetrics } from '../../support/quiet.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';

describe('an agent of a user whose Safe is not ready', () => {
  it('is not enabled, and says what the Safe waits for', async () => {
    const store = createMemoryStore();
    const user = aUserId(1);
    const missing = ['deployment', 'allowances'];
    const records = createAgentRecords({
      store,
      commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
      clock: createVirtualClock(T0),
      portfolio: {
        cashAt: () => ({
          settled: usdcMicros(9_000_000),
          provisional: usdcMicros(0),
          reserved: usdcMicros(0),
          available: usdcMicros(9_000_000),
        }),
      },
      strategies: STRATEGIES,
      walletMissing: () => missing,
    });
    await records.updateSettings(user, 'btc_5min', { avgPositionSize: 5, strategy: 'up_down' });
    await expect(records.enable(user, 'btc_5min')).rejects.toMatchObject({
      code: 'agent_not_ready',
      fields: [{ path: '/wallet' }, { path: '/wallet' }],
    });
    missing.length = 0;
    await records.enable(user, 'btc_5min');
    expect(records.read(user, 'btc_5min').enabled).toBe(true);
  });
});
