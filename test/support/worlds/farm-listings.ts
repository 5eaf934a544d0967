import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import type { Market } from '../../../src/domain/market.ts';
import { aMarket, T0 } from '../builders.ts';

/** A long-running market that passes every filter, strict ones included: ends in two days. */
export function aFarmMarket(number = 1, changes: Partial<Market> = {}): Market {
  return aMarket(number, {
    slug: `snow-in-lisbon-${number}`,
    question: `Will it snow in Lisbon on day ${number}?`,
    outcomes: [
      { ...aMarket(number).outcomes[0], label: 'Yes' },
      { ...aMarket(number).outcomes[1], label: 'No' },
    ],
    fee: { rateMicros: 50_000, exponent: 1, takerOnly: true },
    endsAtMs: T0 + 2 * 86_400_000,
    volumeUsd: 20_000,
    liquidityUsd: 8_000,
    ...changes,
  });
}

/** Its listing: No is worth 97 cents. */
export function aListing(
  market: Market = aFarmMarket(),
  changes: Partial<FarmListing> = {},
): FarmListing {
  return {
    market,
    listedTicks: [300, 9_700],
    categories: ['faultSchedule'],
    isGame: false,
    needsSetup: false,
    eventTitle: market.question,
    description: 'Resolves by the weather service.',
    ...changes,
  };
}
