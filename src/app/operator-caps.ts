import type { Environment } from '../../config/schema.ts';
import type { RiskCaps } from '../domain/reservation.ts';
import { MICROS_PER_UNIT, usdcMicros } from '../domain/units.ts';

/** What the operator lets any one user have at risk (L5). */
export function operatorCaps(
  environment: Pick<
    Environment,
    | 'PREDICTD_CAP_ORDER_USD'
    | 'PREDICTD_CAP_EXPOSURE_USD'
    | 'PREDICTD_CAP_OPEN_POSITIONS'
    | 'PREDICTD_CAP_DAILY_LOSS_USD'
  >,
): RiskCaps {
  const usd = (whole: number) => usdcMicros(whole * MICROS_PER_UNIT);
  return {
    orderUsdc: usd(environment.PREDICTD_CAP_ORDER_USD),
    exposureUsdc: usd(environment.PREDICTD_CAP_EXPOSURE_USD),
    openPositions: environment.PREDICTD_CAP_OPEN_POSITIONS,
    dailyLossUsdc: usd(environment.PREDICTD_CAP_DAILY_LOSS_USD),
  };
}
