import { describe, expect, it } from 'vitest';
import {
  faultsOfOffer,
  faultsOfSimulation,
  impactBps,
  soldMicros,
  worstLossMicros,
  type AskedSwap,
  type OfferedSwap,
  type SimulatedMove,
} from '../../src/domain/swap-checks.ts';
import { ONE_DOLLAR } from '../../src/domain/token-price.ts';
import { POISONED_OFFERS } from '../support/fakes/poisoned-offers.ts';
import { aSwapQuote } from '../support/fakes/fake-swaps.ts';

const { asked, offer } = aSwapQuote();
const RULES = {
  targets: ['0xAnother00000000000000000000000000000000', offer.spender],
  programs: ['known', 'known too'],
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

  it.each<[string, Partial<OfferedSwap>, readonly string[]]>([
    [
      'promises nothing',
      { minimumOut: 0n },
      [
        'it promises nothing',
        'it may give less than the slippage allows',
        'at our prices it may lose more than 5.5 %, the slippage you allow included',
      ],
    ],
    [
      'promises more than it expects',
      { minimumOut: offer.out + 1n },
      ['it contradicts itself about what comes out', 'its call may give less than is promised'],
    ],
    [
      'promises all it expects by a call that gives less',
      { minimumOut: offer.out },
      ['its call may give less than is promised'],
    ],
    [
      'may give a unit less than the slippage allows',
      { minimumOut: offer.minimumOut - 1n },
      ['it may give less than the slippage allows'],
    ],
    [
      'sends a transaction of Solana from another chain',
      {
        transaction: {
          kind: 'solana',
          base64: '',
          payer: offer.sender,
          signatures: 1,
          programs: ['known'],
        },
      },
      ['its transaction is for another chain'],
    ],
    ['has a call that cannot be read', { call: null }, ['it calls what we cannot read']],
  ])('that %s is refused for that', (_what, changed, expected) => {
    expect(faults({ ...offer, ...changed })).toEqual(expected);
  });

  it('may name no account to give back to where nothing can be under way', () => {
    const { call } = offer;
    expect(call !== null && faults({ ...offer, call: { ...call, refundTo: null } })).toEqual([]);
  });

  it('of the coin sends just what is sold of it', () => {
    const ofCoin = { ...asked, sellToken: null };
    const sending = (valueWei: bigint): OfferedSwap => ({
      ...offer,
      sellToken: null,
      transaction: { ...transactionOf(offer), valueWei },
      call: offer.call === null ? null : { ...offer.call, sellToken: null },
    });
    expect(faultsOfOffer(ofCoin, sending(asked.amount), RULES)).toEqual([]);
    for (const valueWei of [0n, asked.amount - 1n, asked.amount + 1n])
      expect(faultsOfOffer(ofCoin, sending(valueWei), RULES)).toEqual(['it sends another value']);
  });

  it.each([
    [50, 23.625, '5.5'],
    [500, 22.5, '10'],
  ])(
    'may lose 5 %% at our own prices and the slippage of %d bps, and not a millionth more',
    (slippageBps, least, percent) => {
      const worth = (dollars: number) => {
        const units = BigInt(Math.round(dollars * 1e6)) * 500_000_000n;
        return faultsOfOffer(
          { ...asked, slippageBps },
          { ...offer, out: units, minimumOut: units },
          RULES,
        );
      };
      expect(worth(least)).toEqual([]);
      expect(worth(least - 0.000001)).toEqual([
        `at our prices it may lose more than ${percent} %, the slippage you allow included`,
      ]);
    },
  );

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
    const unknown = { ...RULES, sellPrice: null };
    expect(faultsOfOffer(asked, offer, unknown)).toHaveLength(1);
    expect([impactBps(asked, offer.out, unknown), soldMicros(asked, unknown)]).toEqual([
      null,
      null,
    ]);
  });

  it('loses at worst what goes in less the least that comes out, and never less than nothing', () => {
    expect(soldMicros(asked, RULES)).toBe(25_000_000n);
    expect(
      [offer.minimumOut, 12_500_000_000_000_000n, 13_000_000_000_000_000n].map((least) =>
        worstLossMicros(asked, least, RULES),
      ),
    ).toEqual([199_625n, 0n, 0n]);
  });

  it('of what is worth less than a millionth of a dollar is neither better nor worse', () => {
    expect(impactBps({ ...asked, amount: 0n }, offer.out, RULES)).toBeNull();
  });
});

function transactionOf({ transaction }: OfferedSwap): OfferedSwap['transaction'] & {
  readonly kind: 'evm';
} {
  if (transaction.kind !== 'evm') throw new Error('the offers here are of EVM chains');
  return transaction;
}

describe('an offer on Solana', () => {
  const wallet = 'WaLLet1111';
  const sol: AskedSwap = {
    ...asked,
    fromChain: 'SOLANA',
    toChain: 'SOLANA',
    sellToken: 'SoLd1111',
    buyToken: 'BoughT1111',
    sender: wallet,
    receiver: wallet,
  };
  const transaction = {
    kind: 'solana',
    base64: '',
    payer: wallet,
    signatures: 1,
    programs: ['known', 'known too'],
  } as const;
  const offered: OfferedSwap = {
    ...offer,
    fromChain: 'SOLANA',
    toChain: 'SOLANA',
    sellToken: sol.sellToken,
    buyToken: sol.buyToken,
    sender: wallet,
    receiver: wallet,
    transaction,
    call: null,
  };

  it('may be signed where it does what was asked for, though its call says nothing', () => {
    expect(faultsOfOffer(sol, offered, RULES)).toEqual([]);
  });

  it.each<[string, Partial<OfferedSwap>, string]>([
    [
      'is paid for by another wallet',
      { transaction: { ...transaction, payer: 'OTHER' } },
      'its transaction is for another wallet',
    ],
    [
      'wants two signatures',
      { transaction: { ...transaction, signatures: 2 } },
      'its transaction wants more signatures than yours',
    ],
    [
      'wants none',
      { transaction: { ...transaction, signatures: 0 } },
      'its transaction wants more signatures than yours',
    ],
    [
      'calls an unknown program among known ones',
      { transaction: { ...transaction, programs: ['known', 'unknown'] } },
      'it calls a program that is not on our list',
    ],
    [
      'is for an address that differs in case alone',
      { receiver: wallet.toLowerCase() },
      'it pays another address',
    ],
    [
      'sells a token that differs in case alone',
      { sellToken: 'sold1111' },
      'it sells another token',
    ],
  ])('that %s is refused', (_what, changed, fault) => {
    expect(faultsOfOffer(sol, { ...offered, ...changed }, RULES)).toEqual([fault]);
  });

  it('is held to its call where that can be read', () => {
    const call = {
      toChain: 'SOLANA',
      sellToken: sol.sellToken,
      buyToken: sol.buyToken,
      amount: sol.amount,
      minimumOut: offered.minimumOut,
      receiver: wallet,
      refundTo: null,
      callsOn: false,
    } as const;
    expect(faultsOfOffer(sol, { ...offered, call }, RULES)).toEqual([]);
    expect(faultsOfOffer(sol, { ...offered, call: { ...call, receiver: 'OTHER' } }, RULES)).toEqual(
      ['its call pays another address'],
    );
  });

  it('is refused with a transaction of an EVM chain, whatever that calls itself', () => {
    const evm = {
      ...transactionOf(offer),
      chain: 'SOLANA',
      from: wallet,
    } as const;
    expect(faultsOfOffer(sol, { ...offered, transaction: evm }, RULES)).toEqual([
      'its transaction is for another chain',
    ]);
  });

  it.each([
    { fromChain: 'SOLANA', toChain: 'BASE' },
    { fromChain: 'POLYGON', toChain: 'SOLANA' },
  ] as const)('that bridges is refused where its call cannot be read: %o', (chains) => {
    expect(faultsOfOffer({ ...sol, ...chains }, { ...offered, ...chains }, RULES)).toContain(
      'it calls what we cannot read',
    );
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
    movements: readonly SimulatedMove[],
    approvals: Parameters<typeof faultsOfSimulation>[2]['approvals'] = [],
    whose: AskedSwap = local,
  ) => faultsOfSimulation(whose, offer, { movements, approvals, targets: RULES.targets });
  const exact = {
    token: asked.sellToken ?? '',
    owner: asked.sender,
    spender: offer.spender,
    amount: 25_000_000n,
  };

  it('that moves what is sold and brings the least promised is what was asked for', () => {
    expect(seen([out, back], [exact])).toEqual([]);
    expect(seen([out, back], [{ ...exact, token: exact.token.toLowerCase() }])).toEqual([]);
    const ofAnother = { ...exact, owner: OTHER, spender: OTHER };
    const refill = { ...out, token: OTHER, from: OTHER, to: offer.spender };
    expect(seen([out, back, refill], [exact, ofAnother])).toEqual([]);
  });

  it('of a bridge brings nothing on this side', () => {
    expect(seen([out], [], asked)).toEqual([]);
  });

  const DRAWS = 'it would draw another amount than is sold';
  const STRANGE = 'it would draw a token that is not sold';
  const LESS = 'it would bring your wallet less than it promises';
  const RIGHTS = 'it would give rights that were not asked for';

  it.each<[string, readonly SimulatedMove[], readonly (typeof exact)[], fault: string]>([
    ['draws more', [{ ...out, amount: 25_000_001n }, back], [], DRAWS],
    ['draws less', [{ ...out, amount: 24_999_999n }, back], [], DRAWS],
    ['draws another token too', [out, back, { ...out, token: '0xThird', amount: 1n }], [], STRANGE],
    ['draws the coin too', [out, back, { ...out, token: null, amount: 1n }], [], STRANGE],
    ['pays another address', [out, { ...back, to: OTHER }], [], LESS],
    ['brings less than promised', [out, { ...back, amount: back.amount - 1n }], [], LESS],
    ['gives an unlimited right', [out, back], [{ ...exact, amount: 2n ** 256n - 1n }], RIGHTS],
    ['gives a unit too much of a right', [out, back], [{ ...exact, amount: 25_000_001n }], RIGHTS],
    ['gives a right to a stranger', [out, back], [exact, { ...exact, spender: OTHER }], RIGHTS],
    ['gives a right to another token', [out, back], [{ ...exact, token: OTHER }], RIGHTS],
  ])('that %s is refused', (_name, movements, approvals, fault) => {
    expect(seen(movements, approvals)).toEqual([fault]);
  });
});
