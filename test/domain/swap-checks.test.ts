import { describe, expect, it } from 'vitest';
import {
  faultsOfOffer,
  faultsOfSimulation,
  impactBps,
  worstLossMicros,
  type OfferedSwap,
} from '../../src/domain/swap-checks.ts';
import { ONE_DOLLAR } from '../../src/domain/token-price.ts';
import { POISONED_OFFERS } from '../support/fakes/poisoned-offers.ts';
import { aSwapQuote } from '../support/fakes/fake-swaps.ts';

const { asked, offer } = aSwapQuote();
const RULES = {
  targets: [offer.spender],
  programs: ['known'],
  lossMaximumBps: 500,
  sellPrice: ONE_DOLLAR,
  buyPrice: { priceE18: 2_000n * 10n ** 18n, atMs: 1 },
};
const OTHER = '0xBad0000000000000000000000000000000000000';
const faults = (changed: OfferedSwap) => faultsOfOffer(asked, changed, RULES);

describe('an offer of the router', () => {
  it('may be signed where it does what was asked for, addresses in whatever case', () => {
    expect(faults(offer)).toEqual([]);
    expect(faults({ ...offer, receiver: offer.receiver.toLowerCase() })).toEqual([]);
  });

  it.each(POISONED_OFFERS)('is refused: $name', ({ poison }) => {
    expect(faults(poison(offer)).length).toBeGreaterThan(0);
  });

  it('may lose 5 % at our own prices, and not a millionth more', () => {
    const worth = (dollars: number) =>
      faults({
        ...offer,
        out: BigInt(dollars * 1e6) * 500_000_000n,
        minimumOut: BigInt(dollars * 1e6) * 500_000_000n,
      });
    expect(worth(23.75)).toEqual([]);
    expect(worth(23.749999)).toEqual(['at our prices it may lose more than 5 %']);
  });

  it('tells how much worse than our prices it is, below zero where it is better', () => {
    expect(impactBps(asked, offer.out, RULES)).toBe(30);
    expect(impactBps(asked, 13_000_000_000_000_000n, RULES)).toBe(-400);
  });

  it('of a token without a price is refused unless its owner says that they know', () => {
    const unpriced = { ...RULES, buyPrice: null };
    expect(faultsOfOffer(asked, offer, unpriced)).toHaveLength(1);
    expect(faultsOfOffer({ ...asked, acceptUnpriced: true }, offer, unpriced)).toEqual([]);
    expect(impactBps(asked, offer.out, unpriced)).toBeNull();
    expect(worstLossMicros(asked, offer.minimumOut, unpriced)).toBe(25_000_000n);
    expect(worstLossMicros(asked, offer.minimumOut, { ...RULES, sellPrice: null })).toBeNull();
  });
});

describe('a simulation', () => {
  const local = { ...asked, toChain: 'POLYGON' as const, buyToken: OTHER };
  const out = {
    token: asked.sellToken,
    from: asked.sender,
    to: offer.spender,
    amount: 25_000_000n,
  };
  const back = { token: OTHER, from: offer.spender, to: asked.sender, amount: offer.minimumOut };
  const seen = (
    movements: readonly (typeof out)[],
    approvals: Parameters<typeof faultsOfSimulation>[2]['approvals'] = [],
  ) => faultsOfSimulation(local, offer, { movements, approvals, targets: [offer.spender] });

  it('that moves what is sold and brings the least promised is what was asked for', () => {
    const exact = {
      token: asked.sellToken ?? '',
      owner: asked.sender,
      spender: offer.spender,
      amount: 25_000_000n,
    };
    expect(seen([out, back], [exact])).toEqual([]);
  });

  it.each([
    ['draws more', [{ ...out, amount: 25_000_001n }, back], []],
    ['draws another token too', [out, back, { ...out, token: OTHER, amount: 1n }], []],
    ['pays somebody else', [out, { ...back, to: OTHER }], []],
    ['brings less than promised', [out, { ...back, amount: back.amount - 1n }], []],
    [
      'gives an unlimited right',
      [out, back],
      [
        {
          token: asked.sellToken ?? '',
          owner: asked.sender,
          spender: offer.spender,
          amount: 2n ** 256n - 1n,
        },
      ],
    ],
    [
      'gives a right to a stranger',
      [out, back],
      [{ token: asked.sellToken ?? '', owner: asked.sender, spender: OTHER, amount: 1n }],
    ],
  ] as const)('that %s is refused', (_name, movements, approvals) => {
    expect(seen(movements as readonly (typeof out)[], approvals).length).toBeGreaterThan(0);
  });
});
