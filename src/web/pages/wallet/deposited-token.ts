import type { Output } from '../../api/routes.ts';
import { tokenAmount } from '../../format/money.ts';
import { shortHash } from '../../format/text.ts';
import { chainName } from './holdings.ts';

type Line = Output<'GET /api/venue_a/bridge/deposits/'>['data'][number];

/**
 * Writes what was sent: how much of which token on which chain. What came without the bridge is
 * booked in USDC, whose chain is the Safe's.
 */
export function depositedToken({ payment, creditedUsdc }: Pick<Line, 'payment' | 'creditedUsdc'>) {
  if (payment === null) return creditedUsdc === null ? '–' : `${tokenAmount(creditedUsdc)} USDC`;
  const token = payment.symbol ?? shortHash(payment.tokenAddress);
  const sent = payment.amount === null ? token : `${tokenAmount(payment.amount)} ${token}`;
  return payment.chain === null ? sent : `${sent} on ${chainName(payment.chain)}`;
}
