import type { FaultName } from '../../src/sandbox/faults.ts';

/**
 * What goes wrong at venue_b and on its chain and can reach an order, by name: venue, chain and
 * ledger agree in the end all the same.
 */
export const CONTRACT_FAULTS: readonly FaultName[] = [
  'slow-fill',
  'partial-fill',
  'reverted-fill',
  'stale-quote',
  'expired-blockhash',
  'route-not-found',
  'stale-route',
  'clearing-maintenance',
  'service-unavailable',
  'rate-limited',
  'bad-gateway',
  'refused-silently',
  'socket-dropped',
  'silent-stall',
  'doubled-frames',
  'solana-transaction-lost',
  'solana-answer-lost',
  'solana-node-behind',
  'solana-fork',
];
