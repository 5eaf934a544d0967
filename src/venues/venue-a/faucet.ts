import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../domain/errors.ts';
import { formatMicros } from '../../domain/units.ts';
import type { Faucet } from '../../ports/venue.ts';
import { createHttpCalls } from '../../adapters/wire/http-calls.ts';

/**
 * Grants test collateral at a sandbox's own faucet: `POST /faucet {"address","usdc"}`. The real venue has no such thing.
 * Errors of `grant`: `funding_unavailable` (retryable).
 */
export function createFaucet(baseUrl: string): Faucet & { close(): Promise<void> } {
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum: 1,
    keepAliveMs: VENUE_A.keepAliveMs,
    connectTimeoutMs: VENUE_A.handshakeTimeoutMs,
    answerMaximumBytes: 65_536,
  });
  return {
    close: () => calls.close(),
    async grant(address, usdc) {
      const outcome = await calls.send({
        method: 'POST',
        path: '/faucet',
        body: JSON.stringify({ address, usdc: formatMicros(usdc) }),
        timeoutMs: VENUE_A.writeTimeoutMs,
      });
      if (outcome.kind === 'answered' && outcome.status === 200) return;
      throw new AppError(
        'funding_unavailable',
        `the faucet grants nothing: ${outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.cause}`,
        { retryable: true },
      );
    },
  };
}
