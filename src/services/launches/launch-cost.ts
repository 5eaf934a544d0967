import { LAUNCH } from '../../../config/limits/launches.ts';
import type { TokenTexts } from '../../domain/launch.ts';
import type { TokenPrice } from '../../domain/token-price.ts';

const SIGNATURES = 2;
const MICRO_LAMPORTS = 1_000_000;
/** Of a price with 18 decimals and lamports with nine, to millionths of a dollar. */
const TO_MICROS = 10n ** 21n;

/** What a launch costs at most, in lamports. */
export interface LaunchCost {
  readonly rentLamports: number;
  readonly feeLamports: number;
}

/**
 * Returns what a launch takes out of the wallet: the rent of the token with its texts, of the
 * curve's tokens and of the curve, and the fee (LAUNCH). A trial says it exactly.
 */
export function launchCost(
  { name, symbol }: Pick<TokenTexts, 'name' | 'symbol'>,
  uriBytes: number,
): LaunchCost {
  const texts = Buffer.byteLength(name, 'utf8') + Buffer.byteLength(symbol, 'utf8') + uriBytes;
  const rent = (bytes: number): number =>
    (LAUNCH.accountOverheadBytes + bytes) * LAUNCH.rentLamportsPerByte;
  return {
    rentLamports:
      rent(LAUNCH.mintBytes + texts) + rent(LAUNCH.tokenAccountBytes) + rent(LAUNCH.curveBytes),
    feeLamports:
      SIGNATURES * LAUNCH.signatureLamports +
      Math.ceil((LAUNCH.computeUnitsMaximum * LAUNCH.microLamportsPerUnit) / MICRO_LAMPORTS),
  };
}

/** Returns lamports in millionths of a dollar, rounded up; null where SOL has no price. */
export function lamportsInMicros(lamports: number, price: TokenPrice | null): number | null {
  if (price === null) return null;
  return Number((BigInt(lamports) * price.priceE18 + TO_MICROS - 1n) / TO_MICROS);
}
