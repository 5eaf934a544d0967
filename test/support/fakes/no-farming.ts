import type { FarmSource } from '../../../src/services/farming/farm-source.ts';

/** A venue that lists nothing to farm. */
export const NO_FARMING: FarmSource = {
  scan: { page: async () => ({ data: [], nextCursor: null }) },
  market: async () => null,
  quotes: { watch: () => () => undefined, top: () => null },
  assessor: null,
};
