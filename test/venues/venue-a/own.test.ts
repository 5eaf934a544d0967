import { describe, expect, it } from 'vitest';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { ownOf, redeemerOf } from '../../../src/venues/venue-a/own.ts';
import { aMarket } from '../../support/builders.ts';

const REDEEMERS = { standard: asId<Address>('0xad'), negRisk: asId<Address>('0xae') };
/** A market as it was stored before venues had fields of their own. */
const storedBefore = (negRisk: boolean) => {
  const { own: _own, ...market } = aMarket(1);
  return { ...market, negRisk };
};

describe('what venue_a keeps of a market', () => {
  it.each([
    ['of its own', (negRisk: boolean) => aMarket(1, { own: { negRisk } })],
    ['beside all others, as it was stored before', storedBefore],
  ])('says by which adapter it is redeemed, with fields %s', (_where, market) => {
    expect([false, true].map((negRisk) => ownOf(market(negRisk)))).toEqual([
      { negRisk: false },
      { negRisk: true },
    ]);
    expect([false, true].map((negRisk) => redeemerOf(REDEEMERS, market(negRisk)))).toEqual([
      '0xad',
      '0xae',
    ]);
  });

  it('is missed in a market of another venue rather than taken as false', () => {
    const { own: _own, ...none } = aMarket(1);
    for (const market of [none, aMarket(1, { own: { tradeType: 'clob' } })])
      expect(() => ownOf(market)).toThrow('negRisk');
  });
});
