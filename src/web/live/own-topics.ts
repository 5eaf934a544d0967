import type { CallName } from '../api/routes.ts';
import { readAgain } from '../api/query.ts';
import type { LiveSocket } from './socket.ts';
import type { Scheduler } from './scheduler.ts';

/** Topics of one's own, and the reads that each makes old. */
const READS_OF: Readonly<Record<string, readonly CallName[]>> = {
  orders: [
    'GET /api/venue_a/order/',
    'GET /api/venue_b/order/',
    'GET /api/venue_a/order/:id/',
    'GET /api/venue_b/order/:id/',
    'GET /api/portfolio/',
  ],
  positions: [
    'GET /api/venue_a/holding/',
    'GET /api/venue_b/portfolio/positions',
    'GET /api/venue_b/portfolio/balance',
    'GET /api/agents/performance',
    'GET /api/agents/:agent/performance',
    'GET /api/portfolio/',
    'GET /api/portfolio/trades',
  ],
  agents: [
    'GET /api/agents/',
    'GET /api/agents/:agent/decisions',
    'GET /api/agents/:agent/trades',
    'GET /api/user/stop',
  ],
  // money that came or went is published as a notification alone
  notifications: [
    'GET /api/user/notifications/',
    'GET /api/user/confirmations/',
    'GET /api/portfolio/',
    'GET /api/venue_a/holding/',
    'GET /api/venue_a/bridge/deposits/',
    'GET /api/web3/exchange/',
    'GET /api/web3/view',
  ],
};

/**
 * Changes of a topic within so long are read again together: bursts must not use up the budget of
 * reads.
 */
const TOGETHER_MS = 1_500;

/**
 * Keeps the answers of calls fresh by the topics that tell of their changes; returns how to stop
 * that.
 */
export function followOwnTopics(live: LiveSocket, scheduler: Scheduler): () => void {
  const stops = Object.entries(READS_OF).map(([topic, reads]) => {
    let cancel: (() => void) | null = null;
    const isOld = (): void => {
      cancel ??= scheduler.after(TOGETHER_MS, () => {
        cancel = null;
        void readAgain(reads);
      });
    };
    const leave = live.read(topic, { snapshot: isOld, change: isOld, ended: () => undefined });
    return () => {
      leave();
      cancel?.();
    };
  });
  return () => {
    for (const stop of stops) stop();
  };
}
