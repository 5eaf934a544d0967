import { describe, expect, it } from 'vitest';
import { asId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { WalletHistory } from '../../../src/ports/venue.ts';
import { createOrderRecords } from '../../../src/venues/venue-b/order-records.ts';
import { aMarket, T0 } from '../../support/builders.ts';
import { aWire, NO, USDC, YES } from './wire.ts';

const USER = asId<UserId>('usr_ada');
const [YES_TOKEN, NO_TOKEN] = [asId<TokenId>(YES), asId<TokenId>(NO)];
const MARKET = {
  ...aMarket(1),
  outcomes: [
    { tokenId: YES_TOKEN, label: 'Yes' },
    { tokenId: NO_TOKEN, label: 'No' },
  ] as const,
};
const bought = (change: object = {}) => ({
  status: 'closed',
  fills: [
    {
      signature: 'Fill',
      inputMint: USDC,
      inAmount: '2500000',
      outputMint: YES,
      outAmount: '5000000',
    },
  ],
  reverts: [],
  ...change,
});
const sold = (paid: string) => ({
  status: 'closed',
  fills: [
    { signature: 'Fill', inputMint: NO, inAmount: '4000000', outputMint: USDC, outAmount: paid },
  ],
  reverts: [],
});
type Moves = Readonly<Record<string, number>>;

/** `moves`: what transactions moved of a token, or of the USDC, by their names. */
function begin(
  moves: { readonly usdc?: Moves; readonly [token: string]: Moves | undefined },
  statuses: Readonly<Record<string, object>>,
  answer: WalletHistory | null = null,
) {
  const { client, clock } = aWire({
    '/order-status': (query: URLSearchParams) =>
      statuses[query.get('signature') ?? ''] ?? [404, {}],
  });
  return createOrderRecords({
    client,
    clock,
    catalogue: {
      marketOfToken: async (tokenId) =>
        tokenId === YES_TOKEN || tokenId === NO_TOKEN ? MARKET : null,
    },
    wallet: {
      holdings: async () => ({
        usdc: usdcMicros(0),
        tokens: new Map([[YES_TOKEN, shareMicros(5_000_000)]]),
      }),
      history: async (_userId, tokenId) =>
        answer ?? {
          kind: 'read',
          movements: Object.entries(moves[tokenId ?? 'usdc'] ?? {}).map(
            ([transactionHash, micros]) => ({ transactionHash, micros }),
          ),
          newest: null,
        },
    },
  });
}

const nothingKnown = { has: () => false, tokens: [] };

describe('orders that the chain has on record', () => {
  it('are what gave USDC or shares and the venue knows as an opening, a transfer is not', async () => {
    const records = begin(
      { usdc: { Buy: -2_500_000, Fill: 1, Transfer: -7 }, [NO]: { Sale: -4_000_000 } },
      { Buy: bought(), Sale: sold('3000000') },
    );
    const known = { has: () => false, tokens: [NO_TOKEN] };
    const { read, unread } = await records.strangers(USER, 0, known);
    expect(unread).toBe(0);
    expect(read).toMatchObject([
      {
        side: 'buy',
        tokenId: YES,
        outcome: 0,
        price: 5_000,
        life: 'all_now',
        exact: 'receive',
        spendMicros: 2_500_000,
        receiveMicros: 5_000_000,
        createdAtMs: T0,
        attempt: { attemptId: 'Buy', orderId: 'Buy', body: '', extra: { amountMicros: 2_500_000 } },
      },
      {
        side: 'sell',
        tokenId: NO,
        outcome: 1,
        price: 7_500,
        exact: 'spend',
        spendMicros: 4_000_000,
        receiveMicros: 3_000_000,
      },
    ]);
    expect(read.some((order) => 'isRedemption' in order)).toBe(false);
  });

  it('are redemptions where shares were given for a dollar each', async () => {
    const records = begin({ [NO]: { Sale: -4_000_000 } }, { Sale: sold('4000000') });
    const known = { has: () => false, tokens: [NO_TOKEN] };
    expect((await records.strangers(USER, 0, known)).read).toMatchObject([{ isRedemption: true }]);
  });

  it('leave out what is known here, and what was given back whole', async () => {
    const records = begin(
      { usdc: { Buy: -2_500_000, Void: -1_000_000 } },
      { Buy: bought(), Void: { status: 'closed', fills: [], reverts: [] } },
    );
    const known = { has: (orderId: string) => orderId === 'Buy', tokens: [] };
    expect(await records.strangers(USER, 0, known)).toEqual({ read: [], unread: 0 });
  });

  it.each([
    ['has not ended', bought({ status: 'open' })],
    [
      'is of a market that is not known',
      bought({ fills: [{ ...bought().fills[0], outputMint: 'X' }] }),
    ],
  ])('L2: are unread while one %s', async (_, status) => {
    const records = begin({ usdc: { Buy: -2_500_000 } }, { Buy: status });
    expect(await records.strangers(USER, 0, nothingKnown)).toEqual({ read: [], unread: 1 });
  });

  it('L2: are unread while what moved is not final, or is more than is read', async () => {
    for (const kind of ['unsettled', 'too_long'] as const) {
      const records = begin({}, {}, { kind });
      expect((await records.strangers(USER, 0, nothingKnown)).unread).toBeGreaterThan(0);
    }
  });
});
