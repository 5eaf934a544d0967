import { AppError } from '../domain/errors.ts';

/**
 * Creates the gate of purchases: keeping contracts from places where they may not be sold is the
 * operator's duty (venue_b.md section 9.4; venue_c.md section 14).
 */
export function regionGate({
  region,
  restrictedRegions,
}: {
  readonly region: string | null;
  readonly restrictedRegions: readonly string[];
}): () => void {
  return () => {
    if (region === null || !restrictedRegions.includes(region)) return;
    throw new AppError('venue_restricted', `nothing is sold in ${region}; sales go on`);
  };
}
