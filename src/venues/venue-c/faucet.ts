import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import { formatMicros, type UsdcMicros } from '../../domain/units.ts';

/** Endows wallets with test money. */
export interface Endowment {
  /**
   * Gives USDC, and coins for gas, once a wallet. Errors: `funding_unavailable` (retryable).
   */
  grant(wallet: Address, usdc: UsdcMicros): Promise<void>;
  close(): Promise<void>;
}

/** Creates the endowment of a world without real money (src/sandbox/venues/venue-c). */
export function createEndowment(url: string, transport: Transport): Endowment {
  const { origin, pathname } = new URL(url);
  const calls = transport.calls({
    baseUrl: origin,
    connectionsMaximum: 1,
    keepAliveMs: VENUE_C.keepAliveMs,
    connectTimeoutMs: VENUE_C.handshakeTimeoutMs,
    answerMaximumBytes: VENUE_C.answerMaximumBytes,
  });
  return {
    async grant(wallet, usdc) {
      const outcome = await calls.send({
        method: 'POST',
        path: pathname,
        // A call whose answer was lost gives nothing more.
        body: JSON.stringify({ address: wallet, usdc: formatMicros(usdc), name: 'first grant' }),
        timeoutMs: VENUE_C.writeTimeoutMs,
      });
      if (outcome.kind === 'answered' && outcome.status === 200) return;
      const how = outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.cause;
      throw new AppError('funding_unavailable', `the endowment ${how}`, { retryable: true });
    },
    close: () => calls.close(),
  };
}
