import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { AppError } from '../../domain/errors.ts';
import { formatMicros, type UsdcMicros } from '../../domain/units.ts';

/** Endows wallets with test money. */
export interface Endowment {
  /**
   * Gives USDC, SOL for fees, and a wallet that is verified. Errors: `funding_unavailable`
   * (retryable).
   */
  grant(wallet: string, usdc: UsdcMicros): Promise<void>;
  close(): Promise<void>;
}

/** SOL of a new wallet, in lamports: one, thousands of fees. */
const LAMPORTS = '1000000000';

/** Creates the endowment of a world without real money (src/sandbox/venues). */
export function createEndowment(url: string, transport: Transport): Endowment {
  const { origin, pathname } = new URL(url);
  const calls = transport.calls({
    baseUrl: origin,
    connectionsMaximum: 1,
    keepAliveMs: VENUE_B.keepAliveMs,
    connectTimeoutMs: VENUE_B.handshakeTimeoutMs,
    answerMaximumBytes: VENUE_B.answerMaximumBytes,
  });
  return {
    async grant(wallet, usdc) {
      const body = {
        address: wallet,
        usdc: formatMicros(usdc),
        lamports: LAMPORTS,
        verified: true,
        // A call whose answer was lost gives nothing more.
        name: `first grant of ${wallet}`,
      };
      const outcome = await calls.send({
        method: 'POST',
        path: pathname,
        body: JSON.stringify(body),
        timeoutMs: VENUE_B.readTimeoutMs,
      });
      if (outcome.kind === 'answered' && outcome.status === 200) return;
      const how = outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.cause;
      throw new AppError('funding_unavailable', `the endowment ${how}`, { retryable: true });
    },
    close: () => calls.close(),
  };
}
