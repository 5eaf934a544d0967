import { plainDecimal } from '../../domain/decimal-text.ts';

/**
 * Writes a figure of a source in plain digits; null where it has none, says nothing sensible, or is
 * below zero and may not be.
 */
export function figure(
  value: string | number | null | undefined,
  decimals = 30,
  isSigned = false,
): string | null {
  if (value === null || value === undefined) return null;
  const plain = plainDecimal(value, decimals);
  return plain === null || (!isSigned && plain.startsWith('-')) ? null : plain;
}
