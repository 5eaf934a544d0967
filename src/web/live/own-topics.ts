import type { CallName } from '../api/routes.ts';
import type { LiveSocket, TopicMessage } from './socket.ts';
import type { Scheduler } from './scheduler.ts';

/** Topics of one's own, and the reads that each makes old. */
const READS_OF: Readonly<Record<string, readonly CallName[]>> = {
  orders: [
    'GET /api/portfolio/orders',
    'GET /api/venue_a/order/:id/',
    'GET /api/venue_b/order/:id/',
    'GET /api/venue_c/portfolio/orders/:id',
    'GET /api/portfolio/',
  ],
  positions: [
    'GET /api/venue_a/holding/',
    'GET /api/venue_b/portfolio/positions',
    'GET /api/venue_b/portfolio/balance',
    'GET /api/agents/performance',
    'GET /api/agents/:agent/performance',
    'GET /api/agents/:agent/calibration',
    'GET /api/portfolio/',
    'GET /api/portfolio/trades',
  ],
  agents: [
    'GET /api/agents/',
    'GET /api/agents/:agent/decisions',
    'GET /api/agents/:agent/trades',
    'GET /api/user/stop',
  ],
  // a deposit's way and what is booked are published here
  notifications: [
    'GET /api/user/notifications/',
    'GET /api/user/confirmations/',
    'GET /api/portfolio/',
    'GET /api/venue_a/holding/',
    'GET /api/venue_a/bridge/deposits/',
    'GET /api/web3/view',
  ],
  transfers: [
    'GET /api/venue_a/safe/withdraw/',
    'GET /api/web3/safe-transfer',
    'GET /api/web3/transfer/',
    'GET /api/web3/exchange/',
    'GET /api/web3/memelaunch/',
    'GET /api/web3/registry/',
    'GET /api/web3/view',
    'GET /api/portfolio/',
  ],
};

/** Changes that make less old than their topic does, by their names. */
const READS_OF_CHANGE: Readonly<Record<string, readonly CallName[]>> = {
  'agent.health': ['GET /api/agents/'],
  // of an order on paper that got nothing no other change tells
  'decision.made': [
    'GET /api/agents/',
    'GET /api/agents/:agent/decisions',
    'GET /api/agents/:agent/performance',
    'GET /api/agents/:agent/calibration',
  ],
  'paper.changed': [
    'GET /api/agents/',
    'GET /api/agents/:agent/decisions',
    'GET /api/agents/:agent/trades',
    'GET /api/agents/:agent/performance',
    'GET /api/agents/:agent/calibration',
  ],
  'swap.changed': ['GET /api/web3/exchange/', 'GET /api/web3/view', 'GET /api/portfolio/'],
  'launch.changed': ['GET /api/web3/memelaunch/', 'GET /api/web3/view'],
  'registry.changed': ['GET /api/web3/registry/', 'GET /api/web3/view'],
  'token.arrived': ['GET /api/web3/view', 'GET /api/portfolio/'],
  'transaction.changed': [
    'GET /api/venue_a/safe/withdraw/',
    'GET /api/web3/safe-transfer',
    'GET /api/web3/transfer/',
    'GET /api/web3/view',
    'GET /api/portfolio/',
  ],
};

/**
 * What changes by more than topics tell: a daemon that starts again reads each venue's account, and
 * what was held and what can be spent become known at moments of their own.
 */
const UNTOLD: readonly CallName[] = ['GET /api/portfolio/'];

/**
 * Changes of a topic within so long are read again together: bursts must not use up the budget of
 * reads.
 */
const TOGETHER_MS = 1_500;

/** What keeps answers fresh. */
export interface FreshAnswers {
  readonly live: Pick<LiveSocket, 'read' | 'listen' | 'state'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
  /** Has every read of these calls made again, where a page shows it. */
  readAgain(names: readonly CallName[]): void;
  /** Has every read made again that got no answer. */
  readFailedAgain(): void;
}

/**
 * Keeps the answers of calls fresh by the topics that tell of their changes; returns how to stop
 * that. After a break a topic tells what was missed, so that no list is read again for the break
 * alone; the figures of the portfolio are.
 */
export function followOwnTopics({
  live,
  scheduler,
  readAgain,
  readFailedAgain,
}: FreshAnswers): () => void {
  const old = new Set<CallName>();
  let cancel: (() => void) | null = null;
  const areOld = (reads: readonly CallName[]): void => {
    for (const read of reads) old.add(read);
    cancel ??= scheduler.after(TOGETHER_MS, () => {
      cancel = null;
      const names = [...old];
      old.clear();
      readAgain(names);
    });
  };
  const stops = Object.entries(READS_OF).map(([topic, reads]) =>
    live.read(topic, {
      snapshot: () => areOld(reads),
      change: (message) => areOld(READS_OF_CHANGE[eventOf(message)] ?? reads),
      ended: () => undefined,
    }),
  );
  let wasLost = false;
  const stopListening = live.listen(() => {
    if (wasLost && live.state.kind === 'live') {
      readFailedAgain();
      areOld(UNTOLD);
    }
    wasLost = live.state.kind === 'lost';
  });
  return () => {
    for (const stop of stops) stop();
    stopListening();
    cancel?.();
  };
}

function eventOf({ data }: TopicMessage): string {
  return typeof data === 'object' && data !== null && 'event' in data ? String(data.event) : '';
}
