import { expect, it } from 'vitest';
import { MCP } from '../../config/limits/mcp.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createActiveKeys } from '../../src/mcp/active-keys.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';

it('counts each key that called of late once, and no more of them than it may', async () => {
  const [clock, metrics] = [createVirtualClock(0), createCountingMetrics()];
  const keys = createActiveKeys({ clock, metrics });
  const active = () => {
    metrics.read();
    return metrics.gauges['mcp_keys_active'];
  };
  for (const key of ['a', 'b', 'a']) keys.called(key);
  expect(active()).toBe(2);
  await clock.advance(MCP.keyActiveMs);
  keys.called('a');
  await clock.advance(1);
  expect(active()).toBe(1);
  for (let key = 0; key <= MCP.activeKeysMaximum; key += 1) keys.called(`key ${key}`);
  expect(active()).toBe(MCP.activeKeysMaximum);
});
