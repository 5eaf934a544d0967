import { MCP } from '../../config/limits/mcp.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';

/** API keys that call the MCP server. */
export interface ActiveKeys {
  /** Notes a call of a key. */
  called(keyId: string): void;
}

/**
 * Makes the record: `mcp_keys_active` counts those that called within MCP.keyActiveMs. Beyond
 * MCP.activeKeysMaximum the one that called longest ago is no longer counted.
 */
export function createActiveKeys({
  clock,
  metrics,
}: {
  readonly clock: Clock;
  readonly metrics: Metrics;
}): ActiveKeys {
  const calledAtMs = new Map<string, number>();
  metrics.beforeRead(() => {
    const sinceMs = clock.nowMs() - MCP.keyActiveMs;
    for (const [keyId, atMs] of calledAtMs) if (atMs < sinceMs) calledAtMs.delete(keyId);
    metrics.gauge('mcp_keys_active', calledAtMs.size);
  });
  return {
    called(keyId) {
      calledAtMs.delete(keyId);
      calledAtMs.set(keyId, clock.nowMs());
      const [oldest] = calledAtMs.keys();
      if (calledAtMs.size > MCP.activeKeysMaximum && oldest !== undefined)
        calledAtMs.delete(oldest);
    },
  };
}
