import { describe, expect, it } from 'vitest';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { SolanaSendOutcome, SolanaStatus } from '../../../src/ports/solana.ts';
import { createOrderGateway } from '../../../src/venues/venue-b/order-gateway.ts';
import { aVenueOrder } from './intents.ts';
import { aWire, USDC, YES, type Answer } from './wire.ts';

const landed = (commitment: 'processed' | 'confirmed' | 'finalized', failure?: string) =>
  ({ kind: 'landed', slot: 1, commitment, failure: failure ?? null }) as const;
const fill = (change: object = {}) => ({
  signature: 'Fill1',
  inputMint: USDC,
  inAmount: '2500000',
  outputMint: YES,
  outAmount: '5000000',
  ...change,
});
const CLOSED = {
  status: 'closed',
  inAmount: '2600000',
  outAmount: '5000000',
  fills: [fill()],
  reverts: [{ signature: 'Fill1', mint: USDC, amount: '100000' }],
};

interface World {
  readonly status: Answer;
  readonly chain?: Readonly<Record<string, SolanaStatus>>;
  readonly height?: number;
  readonly isAlive?: boolean;
  readonly sent?: SolanaSendOutcome;
  /** Lamports of the wallet, by final transactions. */
  readonly taken?: Readonly<Record<string, bigint>>;
}

function begin({ status, chain = {}, height = 100, isAlive = false, sent, taken = {} }: World) {
  const { client, clock } = aWire({ '/order-status': status });
  const handed: [string, boolean | undefined][] = [];
  const gateway = createOrderGateway({
    client,
    clock,
    solana: {
      async send(bytes, options) {
        handed.push([Buffer.from(bytes).toString(), options?.skipsTrial]);
        return sent ?? { kind: 'accepted' };
      },
      status: async (signature) => chain[signature] ?? { kind: 'absent' },
      blockHeight: async () => height,
      taken: async (signature) => taken[signature] ?? null,
    },
    walletOf: async () => 'Wallet1',
    trials: { isAlive: async () => isAlive },
  });
  const lookup = (change?: Partial<OrderIntent>) => gateway.lookup(aVenueOrder(change));
  return { gateway, lookup, handed };
}

const OPENED = { Sig1: landed('finalized'), Fill1: landed('finalized') };

describe('L2: the state of an order, by the chain and by the venue', () => {
  it('is not known to be filled by what a node says to its bytes', async () => {
    const { gateway, handed } = begin({ status: CLOSED });
    expect(await gateway.submit(aVenueOrder())).toEqual({ kind: 'sent' });
    expect(handed).toEqual([['signed', true]]);
  });

  it.each([
    { kind: 'unknown', cause: 'lost' },
    { kind: 'refused', reason: 'no', isExpired: false },
  ] as const)('is unknown where the node says $kind', async (sent) => {
    const { gateway } = begin({ status: CLOSED, sent });
    expect(await gateway.submit(aVenueOrder())).toMatchObject({ kind: 'unknown' });
  });

  it('is not sent where a stop came at the last moment', async () => {
    const { gateway, handed } = begin({ status: CLOSED });
    const permission = { signal: new AbortController().signal, isGranted: () => false };
    expect(await gateway.submit(aVenueOrder(), permission)).toMatchObject({ kind: 'deferred' });
    expect(handed).toEqual([]);
  });

  it('is under way once it is opened, whatever the venue does not know yet', async () => {
    const { lookup } = begin({ status: [404, {}], chain: { Sig1: landed('confirmed') } });
    expect(await lookup()).toMatchObject({ kind: 'found', order: { status: 'delayed' } });
  });

  it('L3: is filled as the venue states it, final once the chain is', async () => {
    const reported = async (commitment: 'confirmed' | 'finalized') =>
      begin({
        status: CLOSED,
        chain: { Sig1: landed('finalized'), Fill1: landed(commitment) },
      }).lookup();
    expect(await reported('confirmed')).toMatchObject({
      kind: 'found',
      order: { status: 'matched', matchedShares: 5_000_000 },
      fills: [
        {
          tradeId: 'Fill1',
          orderId: 'Sig1',
          legs: [{ shares: 5_000_000, usdc: 2_500_000, price: 5_000 }],
          fee: { unit: 'cash', micros: 0 },
          word: 'mined',
        },
      ],
    });
    expect(await reported('finalized')).toMatchObject({ fills: [{ word: 'confirmed' }] });
  });

  it('L5: is under way while fills and returns do not account for all that was given', async () => {
    const { lookup } = begin({ status: { ...CLOSED, reverts: [] }, chain: OPENED });
    expect(await lookup()).toMatchObject({ order: { status: 'delayed' }, fills: [{}] });
  });

  it('L5: is under way while what came back is not on the chain', async () => {
    const reverts = [{ signature: 'Back1', mint: USDC, amount: '100000' }];
    const { lookup } = begin({ status: { ...CLOSED, reverts }, chain: OPENED });
    expect(await lookup()).toMatchObject({ order: { status: 'delayed' } });
  });

  it('ends with what it got where the rest came back, and with nothing where all of it did', async () => {
    const part = {
      ...CLOSED,
      fills: [fill({ inAmount: '1000000', outAmount: '2000000' })],
      reverts: [{ signature: 'Fill1', mint: USDC, amount: '1600000' }],
    };
    const none = {
      ...CLOSED,
      fills: [],
      reverts: [{ signature: 'Fill1', mint: USDC, amount: '2600000' }],
    };
    for (const [status, matchedShares] of [
      [part, 2_000_000],
      [none, 0],
    ] as const)
      expect(await begin({ status, chain: OPENED }).lookup()).toMatchObject({
        order: { status: 'cancelled', matchedShares },
      });
  });

  it('L2: has not ended with less than it was for before that is final: a fork may fill it after all', async () => {
    const status = {
      ...CLOSED,
      fills: [],
      reverts: [{ signature: 'Fill1', mint: USDC, amount: '2600000' }],
    };
    const chain = { Sig1: landed('finalized'), Fill1: landed('confirmed') };
    expect(await begin({ status, chain }).lookup()).toMatchObject({ order: { status: 'delayed' } });
  });

  it('counts more contracts than were asked for as fills, and no more as matched', async () => {
    const status = { ...CLOSED, fills: [fill({ outAmount: '6000000' })] };
    expect(await begin({ status, chain: OPENED }).lookup()).toMatchObject({
      order: { status: 'matched', matchedShares: 5_000_000 },
      fills: [{ legs: [{ shares: 6_000_000 }] }],
    });
  });

  it('L4: tells the fee that is inside what was paid, and no other sum in all', async () => {
    // Five at 0.50: 0.07 × 5 × 0.25 up to the next cent, and 0.01 × 5 × 0.25.
    const status = { ...CLOSED, fills: [fill({ inAmount: '2602500' })], reverts: [] };
    const { lookup } = begin({
      status: { ...status, reverts: [{ signature: 'Fill1', mint: USDC, amount: '0' }] },
      chain: OPENED,
    });
    expect(await lookup()).toMatchObject({
      fills: [
        { legs: [{ usdc: 2_500_000, price: 5_000 }], fee: { unit: 'cash', micros: 102_500 } },
      ],
    });
  });

  it('L4: takes no fee out of a dollar that a winner is paid', async () => {
    const status = {
      ...CLOSED,
      fills: [fill({ inAmount: '5000000', outAmount: '5000000' })],
      reverts: [],
    };
    const { lookup } = begin({ status, chain: OPENED });
    const redemption = { side: 'sell', isRedemption: true, spendMicros: 5_000_000 } as const;
    expect(await lookup(redemption)).toMatchObject({
      fills: [{ legs: [{ usdc: 5_000_000 }], fee: { unit: 'cash', micros: 0 } }],
    });
  });

  it('L4: knows a fill by its transaction, in whatever order the venue names them', async () => {
    const [first, second] = [fill(), fill({ signature: 'Fill2', inAmount: '100000' })];
    const names = async (fills: readonly object[]) => {
      const reported = await begin({
        status: { ...CLOSED, fills, reverts: [] },
        chain: { ...OPENED, Fill2: landed('finalized') },
      }).lookup();
      return reported.kind === 'found' ? reported.fills?.map(({ tradeId }) => tradeId) : reported;
    };
    expect(await names([first])).toEqual(['Fill1']);
    expect(await names([second, first])).toEqual(['Fill2', 'Fill1']);
    expect(await names([first, second, first])).toEqual(['Fill1', 'Fill2', 'Fill1:1']);
  });

  it('reads a sale the other way round', async () => {
    const status = {
      ...CLOSED,
      fills: [fill({ inAmount: '2600000', outAmount: '1300000' })],
      reverts: [],
    };
    const { lookup } = begin({ status, chain: OPENED });
    const sale = { side: 'sell', spendMicros: 2_600_000, exact: 'spend' } as const;
    expect(await lookup({ ...sale, price: priceTicks(4_900) })).toMatchObject({
      order: { status: 'matched' },
      fills: [{ side: 'sell', legs: [{ shares: 2_600_000, usdc: 1_300_000 }] }],
    });
  });

  it('is not known where the venue does not answer, or answers nonsense', async () => {
    for (const status of [
      [503, {}],
      [200, { status: 'perhaps' }],
    ] as const)
      expect(await begin({ status, chain: OPENED }).lookup()).toMatchObject({
        kind: 'unreachable',
      });
  });
});

describe('L1: that an order can never land', () => {
  const never = { status: [404, {}] as const, height: 151 };

  it('is proven by final blocks beyond its height, that take its blockhash no more, and a history without it', async () => {
    expect(await begin(never).lookup()).toEqual({
      kind: 'absent',
      proof: 'height 151 has passed 150 and no block has it',
    });
  });

  it.each([
    ['its height has not passed', { height: 150 }],
    ['its blockhash is still good, whatever height the venue stated', { isAlive: true }],
  ])('is not proven while %s', async (_why, change) => {
    expect(await begin({ ...never, ...change }).lookup()).toEqual({ kind: 'absent', proof: null });
  });

  it('is not concluded from the statement of the venue alone', async () => {
    for (const status of ['expired', 'failed', 'pending'])
      expect(await begin({ ...never, status: { status }, height: 20 }).lookup()).toEqual({
        kind: 'absent',
        proof: null,
      });
  });

  it('is not asked where the venue knows it: the node may be behind', async () => {
    expect(await begin({ ...never, status: { status: 'open' } }).lookup()).toMatchObject({
      order: { status: 'delayed' },
    });
  });

  it('is proven by a failure in a final block, and not by one that may be taken back', async () => {
    const failed = (commitment: 'confirmed' | 'finalized') =>
      begin({
        ...never,
        chain: { Sig1: landed(commitment, '{"Custom":16}') },
        taken: { Sig1: 5_000n },
      }).lookup();
    expect(await failed('confirmed')).toMatchObject({ order: { status: 'delayed' } });
    expect(await failed('finalized')).toEqual({
      kind: 'absent',
      proof: 'it failed on the chain: {"Custom":16}',
      gas: { chain: 'SOLANA', units: '5000' },
    });
  });

  it('states no gas of a failure that a sponsor has paid for', async () => {
    const chain = { Sig1: landed('finalized', 'failed') };
    expect(await begin({ ...never, chain, taken: { Sig1: 0n } }).lookup()).toEqual({
      kind: 'absent',
      proof: 'it failed on the chain: failed',
    });
  });
});

describe('what the network took for an order', () => {
  const taken = { Sig1: 4_149_280n, Fill1: -2_000_000n };
  const gasOf = async (world: Partial<World>) => {
    const outcome = await begin({ status: CLOSED, chain: OPENED, taken, ...world }).lookup();
    return outcome.kind === 'found' ? outcome.order.gas : outcome;
  };

  it('is what all its transactions took of the wallet, less the rent that came back', async () => {
    expect(await gasOf({})).toEqual({ chain: 'SOLANA', units: '2149280' });
  });

  it('is not stated of one that a sponsor has paid for, nor before all of it is final', async () => {
    expect(await gasOf({ taken: { Sig1: 0n, Fill1: 0n } })).toBeUndefined();
    expect(await gasOf({ taken: { Fill1: 1n } })).toBeUndefined();
    expect(await gasOf({ chain: { ...OPENED, Fill1: landed('confirmed') } })).toBeUndefined();
  });
});
