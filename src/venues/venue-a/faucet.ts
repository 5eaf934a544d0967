import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import { formatMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Transport } from '../../adapters/wire/transport.ts';

/** The faucet, which knows addresses alone. */
export interface AddressFaucet {
  grant(address: Address, usdc: UsdcMicros): Promise<void>;
  close(): Promise<void>;
}

/**
 * Grants test collateral at a sandbox's own faucet: `POST /faucet {"address","usdc","name"}`, once
 * for each address. The real
 * venue has no such thing. Errors of `grant`: `funding_unavailable` (retryable).
 */
export function createFaucet(baseUrl: string, transport: Transport): AddressFaucet {
  const calls = transport.calls({
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
        // An account is granted once: a call whose answer was lost pays nothing more.
        body: JSON.stringify({
          address,
          usdc: formatMicros(usdc),
          name: `first grant of ${address}`,
        }),
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
