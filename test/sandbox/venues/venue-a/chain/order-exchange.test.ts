import * as fc from 'fast-check';
import {
  encodeFunctionData,
  hashTypedData,
  parseEventLogs,
  zeroHash,
  type Hex,
  type PrivateKeyAccount,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VENUE_A_CHAIN } from '../../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { SAFE_ABI, TOKEN_ABI } from '../../../../../src/sandbox/chains/evm/contract-abis.ts';
import { createEvmSender } from '../../../../../src/sandbox/chains/evm/evm-sender.ts';
import {
  signChainOrder,
  EXCHANGE_ABI,
  type ChainOrder,
  type MatchPart,
} from '../../../../../src/sandbox/venues/venue-a/chain/exchange-orders.ts';
import { safeOf } from '../../../../../src/sandbox/venues/venue-a/wallets/place-safe.ts';
import { deploySafe } from '../../../../support/fixtures/deploy-safe.ts';
import {
  amountsOf,
  signedPart,
  startExchangeFixture,
  type ExchangeFixture,
  type Request,
} from '../../../../support/fixtures/exchange-fixture.ts';

/** The publicly known test key of venue_a.md section 17. */
const OWNER = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
);
const SAFE = '0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47';
const { exchange, negRiskExchange, conditionalTokens, collateral } = VENUE_A_CHAIN;
const share = (count: number): bigint => BigInt(count) * 1_000_000n;
const buy = (shares: bigint, price: bigint, outcome: 0 | 1 = 0): Request => ({
  side: 'buy',
  outcome,
  shares,
  price,
});
const sell = (shares: bigint, price: bigint, outcome: 0 | 1 = 0): Request => ({
  side: 'sell',
  outcome,
  shares,
  price,
});

let fixture: ExchangeFixture;
let alice: PrivateKeyAccount;
let bob: PrivateKeyAccount;
let carol: PrivateKeyAccount;
beforeAll(async () => {
  fixture = await startExchangeFixture();
  [alice, bob, carol] = [
    await fixture.trader('alice'),
    await fixture.trader('bob'),
    await fixture.trader('carol'),
  ];
});
afterAll(() => fixture.close());

/** Collateral and shares of an account: [collateral, first, second]. */
async function purse(owner: Hex): Promise<readonly bigint[]> {
  return Promise.all([
    fixture.balanceOf(owner),
    fixture.shares(owner, 0),
    fixture.shares(owner, 1),
  ]);
}

/** What an action changes in the purses of accounts. */
async function changes(
  owners: readonly Hex[],
  act: () => Promise<unknown>,
): Promise<readonly (readonly bigint[])[]> {
  const before = await Promise.all(owners.map(purse));
  await act();
  const after = await Promise.all(owners.map(purse));
  return after.map((own, index) => own.map((amount, at) => amount - (before[index]?.[at] ?? 0n)));
}

describe('the exchange', () => {
  it("names an order as the venue does: the vector's hash and both domain separators", async () => {
    const order: ChainOrder = {
      salt: 479_249_096_354n,
      maker: OWNER.address,
      signer: OWNER.address,
      tokenId: 1234n,
      makerAmount: 3_525_000n,
      takerAmount: 7_500_000n,
      side: 0,
      signatureType: 0,
      timestamp: 1_700_000_000_000n,
      metadata: zeroHash,
      builder: zeroHash,
    };
    const read = (address: Hex) =>
      Promise.all([
        fixture.node.client.readContract({
          address,
          abi: EXCHANGE_ABI,
          functionName: 'hashOrder',
          args: [order],
        }),
        fixture.node.client.readContract({
          address,
          abi: EXCHANGE_ABI,
          functionName: 'domainSeparator',
        }),
      ]);
    expect(await read(exchange)).toEqual([
      '0xb4366e43a90a583a0c237d124e61e03fc566a674c5597ae5c50df25a5b55f255',
      '0x3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d2',
    ]);
    expect(await read(negRiskExchange)).toEqual([
      '0x4fef0f09e38d26d3c2ee68dd397f499ec582e82b29699ce62a3adc3f592d35ba',
      '0x9b858f53327b0bd13af8ec14cfb35234fb9eb7b0504d1a4e61f433840d30e81a',
    ]);
  });

  it("swaps shares against collateral at the maker's price; the fee is the taker's", async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(10), 6_000n)),
      await signedPart(fixture, bob, sell(share(10), 4_000n)),
    ];
    const fee = 168_000n;
    const moved = await changes(
      [alice.address, bob.address, fixture.chain.sender('fees').address],
      () => fixture.settle(taker, [maker], fee),
    );
    expect(moved).toEqual([
      [-share(4) - fee, share(10), 0n],
      [share(4), -share(10), 0n],
      [fee, 0n, 0n],
    ]);
  });

  it('mints a set for two buyers, the improvement with the taker', async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(10), 6_000n)),
      await signedPart(fixture, bob, buy(share(10), 5_000n, 1)),
    ];
    expect(
      await changes([alice.address, bob.address, conditionalTokens], () =>
        fixture.settle(taker, [maker]),
      ),
    ).toEqual([
      [-share(5), share(10), 0n],
      [-share(5), 0n, share(10)],
      [share(10), 0n, 0n],
    ]);
  });

  it("merges a set of two sellers, the fee out of the taker's proceeds", async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, sell(share(10), 3_000n)),
      await signedPart(fixture, bob, sell(share(10), 6_000n, 1)),
    ];
    const moved = await changes([alice.address, bob.address, conditionalTokens], () =>
      fixture.settle(taker, [maker], 100n),
    );
    expect(moved).toEqual([
      [share(4) - 100n, -share(10), 0n],
      [share(6), 0n, -share(10)],
      [-share(10), 0n, 0n],
    ]);
  });

  it('fills an order in parts, up to its amount and no further', async () => {
    const whole = await signedPart(fixture, bob, sell(share(10), 4_000n));
    const take = async (count: number): Promise<MatchPart> =>
      signedPart(fixture, alice, buy(share(count), 4_000n));
    await fixture.settle(await take(6), [{ ...whole, fill: share(6) }]);
    expect(await fixture.refusal(await take(5), [{ ...whole, fill: share(5) }])).toBe('Overfilled');
    await fixture.settle(await take(4), [{ ...whole, fill: share(4) }]);
    expect(await fixture.refusal(await take(1), [{ ...whole, fill: 1n }])).toBe('Overfilled');
  });

  it("tells each order's fill and the match by events", async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(2), 5_000n)),
      await signedPart(fixture, bob, sell(share(2), 5_000n)),
    ];
    const { logs } = await fixture.settle(taker, [maker], 7n);
    const reported = parseEventLogs({ abi: EXCHANGE_ABI, logs }).map(({ eventName, args }) => [
      eventName,
      args,
    ]);
    expect(reported).toEqual([
      [
        'OrderFilled',
        {
          orderHash: expect.any(String),
          maker: bob.address,
          tokenId: fixture.tokens[0],
          side: 1,
          given: share(2),
          got: share(1),
          fee: 0n,
        },
      ],
      [
        'OrderFilled',
        {
          orderHash: expect.any(String),
          maker: alice.address,
          tokenId: fixture.tokens[0],
          side: 0,
          given: share(1),
          got: share(2),
          fee: 7n,
        },
      ],
      [
        'OrdersMatched',
        {
          takerHash: expect.any(String),
          taker: alice.address,
          tokenId: fixture.tokens[0],
          side: 0,
          given: share(1),
          got: share(2),
        },
      ],
    ]);
  });

  it('has the same rules at the neg-risk address, where orders of the other do not count', async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(1), 5_000n), {}, negRiskExchange),
      await signedPart(fixture, bob, sell(share(1), 5_000n), {}, negRiskExchange),
    ];
    expect(await fixture.refusal(taker, [maker])).toBe('BadSignature');
    expect(
      await changes([alice.address], () => fixture.settle(taker, [maker], 0n, negRiskExchange)),
    ).toEqual([[-500_000n, share(1), 0n]]);
  });

  it('stops while it is paused', async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(1), 5_000n)),
      await signedPart(fixture, bob, sell(share(1), 5_000n)),
    ];
    const admin = fixture.chain.sender('deployer');
    await admin.send({
      to: exchange,
      data: encodeFunctionData({ abi: EXCHANGE_ABI, functionName: 'pause' }),
    });
    expect(await fixture.refusal(taker, [maker])).toBe('EnforcedPause');
    await admin.send({
      to: exchange,
      data: encodeFunctionData({ abi: EXCHANGE_ABI, functionName: 'unpause' }),
    });
    expect(await fixture.refusal(taker, [maker])).toBeNull();
  });
});

describe('who may trade with whose money', () => {
  it("takes the signature of a Safe's one owner for the Safe (type 2)", async () => {
    const { safe } = await deploySafe(fixture.chain, OWNER.address);
    await fixture.mint(safe, share(10));
    const maker = await signedPart(fixture, bob, sell(share(10), 5_000n));
    const taker = await signedPart(fixture, OWNER, buy(share(10), 5_000n), {
      maker: SAFE,
      signatureType: 2,
    });
    // The Safe is deployed and has money; what it has not given yet is the allowance.
    expect(await fixture.refusal(taker, [maker])).toBe('ERC20InsufficientAllowance');
    await asSafe(OWNER, {
      to: collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'approve',
        args: [exchange, share(10)],
      }),
    });
    expect(await changes([SAFE], () => fixture.settle(taker, [maker]))).toEqual([
      [-share(5), share(10), 0n],
    ]);
  });

  it('refuses a stranger for the Safe, the Safe of another user, and a Safe that changed hands', async () => {
    await deploySafe(fixture.chain, OWNER.address);
    const { safe: other } = await deploySafe(fixture.chain, carol.address);
    const maker = await signedPart(fixture, bob, sell(share(1), 5_000n));
    const request = buy(share(1), 5_000n);
    const forSafe = (account: PrivateKeyAccount, changed: Partial<ChainOrder>) =>
      signedPart(fixture, account, request, { maker: SAFE, signatureType: 2, ...changed });
    expect(await fixture.refusal(await forSafe(carol, {}), [maker])).toBe('BadSignature');
    expect(await fixture.refusal(await forSafe(carol, { signer: OWNER.address }), [maker])).toBe(
      'BadSignature',
    );
    expect(await fixture.refusal(await forSafe(OWNER, { maker: other }), [maker])).toBe(
      'BadSignature',
    );
    const swap = encodeFunctionData({
      abi: SWAP_OWNER,
      functionName: 'swapOwner',
      args: ['0x0000000000000000000000000000000000000001', carol.address, bob.address],
    });
    const carols = () => signedPart(fixture, carol, request, { maker: other, signatureType: 2 });
    expect(await fixture.refusal(await carols(), [maker])).toBe('ERC20InsufficientAllowance');
    await asSafe(carol, { to: other, data: swap });
    expect(await fixture.refusal(await carols(), [maker])).toBe('BadSignature');
  });

  it('asks a wallet contract itself what it signed (type 3)', async () => {
    const { safe } = await deploySafe(fixture.chain, OWNER.address);
    await fixture.mint(safe, share(1));
    await asSafe(OWNER, {
      to: collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'approve',
        args: [exchange, share(10)],
      }),
    });
    const maker = await signedPart(fixture, bob, sell(share(1), 5_000n));
    const drafted = await signedPart(fixture, OWNER, buy(share(1), 5_000n), {
      maker: SAFE,
      signer: SAFE,
      signatureType: 3,
    });
    const orderHash = await fixture.node.client.readContract({
      address: exchange,
      abi: EXCHANGE_ABI,
      functionName: 'hashOrder',
      args: [drafted.order],
    });
    const signature = await OWNER.signTypedData({
      domain: { chainId: 137, verifyingContract: SAFE },
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: orderHash },
    });
    expect(await fixture.refusal({ ...drafted, signature }, [maker])).toBeNull();
    expect(await fixture.refusal(drafted, [maker])).not.toBeNull();
    expect(
      await fixture.refusal({ ...drafted, order: { ...drafted.order, signer: OWNER.address } }, [
        maker,
      ]),
    ).toBe('BadSignature');
  });

  it('takes a match from an operator only, and lets only the admin name one', async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(1), 5_000n)),
      await signedPart(fixture, bob, sell(share(1), 5_000n)),
    ];
    expect(await fixture.refusal(taker, [maker], 0n, alice.address)).toBe('NotOperator');
    const name = encodeFunctionData({
      abi: EXCHANGE_ABI,
      functionName: 'setOperator',
      args: [alice.address, true],
    });
    await expect(
      createEvmSender(fixture.node.client, alice).send({ to: exchange, data: name }),
    ).rejects.toMatchObject({ code: 'chain_reverted' });
  });

  it('lets the maker cancel its order, and no other account', async () => {
    const [taker, maker] = [
      await signedPart(fixture, alice, buy(share(1), 5_000n)),
      await signedPart(fixture, bob, sell(share(1), 5_000n)),
    ];
    const cancel = encodeFunctionData({
      abi: EXCHANGE_ABI,
      functionName: 'cancelOrders',
      args: [[maker.order]],
    });
    await expect(
      createEvmSender(fixture.node.client, alice).send({ to: exchange, data: cancel }),
    ).rejects.toMatchObject({ code: 'chain_reverted' });
    await createEvmSender(fixture.node.client, bob).send({ to: exchange, data: cancel });
    expect(await fixture.refusal(taker, [maker])).toBe('Cancelled');
  });
});

const SWAP_OWNER = [
  {
    type: 'function',
    name: 'swapOwner',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'previous', type: 'address' },
      { name: 'old', type: 'address' },
      { name: 'fresh', type: 'address' },
    ],
    outputs: [],
  },
] as const;

/** Makes a call of the owner's Safe, signed by the owner and sent by the relayer. */
async function asSafe(
  owner: PrivateKeyAccount,
  call: { readonly to: Hex; readonly data: Hex },
): Promise<void> {
  const zero = '0x0000000000000000000000000000000000000000';
  const safe = safeOf(owner.address);
  const nonce = await fixture.node.client.readContract({
    address: safe,
    abi: SAFE_ABI,
    functionName: 'nonce',
  });
  const hash = hashTypedData({
    domain: { chainId: 137, verifyingContract: safe },
    primaryType: 'SafeTx',
    message: {
      ...call,
      value: 0n,
      operation: 0,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: zero,
      refundReceiver: zero,
      nonce,
    },
    types: {
      SafeTx: [
        'address to',
        'uint256 value',
        'bytes data',
        'uint8 operation',
        'uint256 safeTxGas',
        'uint256 baseGas',
        'uint256 gasPrice',
        'address gasToken',
        'address refundReceiver',
        'uint256 nonce',
      ].map((field) => ({ type: field.split(' ')[0] ?? '', name: field.split(' ')[1] ?? '' })),
    },
  });
  const signature = await owner.sign({ hash });
  await fixture.chain.sender('relayer').send({
    to: safe,
    data: encodeFunctionData({
      abi: SAFE_ABI,
      functionName: 'execTransaction',
      args: [call.to, 0n, call.data, 0, 0n, 0n, 0n, zero, zero, signature],
    }),
  });
}

/**
 * A request on the second outcome at p is one on the first at 1 − p: so a maker crosses a taker by
 * one number.
 */
const FULL = 10_000n;
const matchArbitrary = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  outcome: fc.constantFrom(0 as const, 1 as const),
  price: fc.integer({ min: 5, max: 95 }),
  legs: fc.array(
    fc.record({
      isSwap: fc.boolean(),
      better: fc.integer({ min: 0, max: 60 }),
      cents: fc.integer({ min: 1, max: 100_000 }),
      more: fc.integer({ min: 0, max: 1_000 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  feeBps: fc.integer({ min: 0, max: 1_000 }),
});
type Drawn = typeof matchArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** The maker's request of one drawn leg: never worse for the taker than its own price. */
function makerRequest(
  drawn: Drawn,
  leg: Drawn['legs'][number],
): Request & { readonly takerPrice: bigint } {
  const cents =
    drawn.side === 'buy'
      ? Math.max(1, drawn.price - leg.better)
      : Math.min(99, drawn.price + leg.better);
  const takerPrice = BigInt(cents) * 100n;
  const shares = BigInt(leg.cents) * 10_000n;
  if (leg.isSwap)
    return {
      side: drawn.side === 'buy' ? 'sell' : 'buy',
      outcome: drawn.outcome,
      shares,
      price: takerPrice,
      takerPrice,
    };
  return {
    side: drawn.side,
    outcome: drawn.outcome === 0 ? 1 : 0,
    shares,
    price: FULL - takerPrice,
    takerPrice,
  };
}

/** Signs what was drawn: makers may want more than is taken of them now. */
async function signed(drawn: Drawn): Promise<{
  readonly taker: MatchPart;
  readonly makers: readonly MatchPart[];
  readonly fee: bigint;
  readonly shares: bigint;
  readonly money: bigint;
}> {
  const people = await Promise.all(
    ['bob', 'carol', 'dave', 'erin'].map((name) => fixture.trader(name)),
  );
  const requests = drawn.legs.map((leg) => makerRequest(drawn, leg));
  const shares = requests.reduce((sum, request) => sum + request.shares, 0n);
  const money = requests.reduce(
    (sum, request) => sum + (request.shares * request.takerPrice) / FULL,
    0n,
  );
  const taker = await signedPart(fixture, alice, {
    side: drawn.side,
    outcome: drawn.outcome,
    shares,
    price: BigInt(drawn.price) * 100n,
  });
  const makers = await Promise.all(
    requests.map(async (request, index) => {
      const extra = BigInt(drawn.legs[index]?.more ?? 0) * 10_000n;
      const part = await signedPart(fixture, people[index] ?? bob, {
        ...request,
        shares: request.shares + extra,
      });
      return { ...part, fill: amountsOf(request).makerAmount };
    }),
  );
  return { taker, makers, fee: (money * BigInt(drawn.feeBps)) / 10_000n, shares, money };
}

describe('any match', () => {
  it('conserves collateral and shares, gives makers their price, the taker the rest, and takes exactly the fee', async () => {
    const fees = fixture.chain.sender('fees').address;
    await fc.assert(
      fc.asyncProperty(matchArbitrary, async (drawn) => {
        const { taker, makers, fee, shares, money } = await signed(drawn);
        const owners = [
          alice.address,
          fees,
          exchange,
          conditionalTokens,
          ...['bob', 'carol', 'dave', 'erin'].slice(0, makers.length),
        ];
        const addresses = await Promise.all(
          owners.map(async (owner) =>
            owner.startsWith('0x') ? (owner as Hex) : (await fixture.trader(owner)).address,
          ),
        );
        const moved = await changes(addresses, () => fixture.settle(taker, makers, fee));
        const sign = drawn.side === 'buy' ? 1n : -1n;
        const own = (outcome: 0 | 1) => (outcome === drawn.outcome ? sign * shares : 0n);
        expect(moved[0]).toEqual([-sign * money - fee, own(0), own(1)]);
        expect(moved[1]).toEqual([fee, 0n, 0n]);
        expect(moved[2]).toEqual([0n, 0n, 0n]);
        // Collateral moves among people and the framework; a set of both outcomes backs
        // each unit the framework gained.
        const sum = (at: number, rows: readonly (readonly bigint[])[]) =>
          rows.reduce((total, row) => total + (row[at] ?? 0n), 0n);
        const backed = moved[3]?.[0] ?? 0n;
        expect([sum(0, moved), sum(1, moved), sum(2, moved)]).toEqual([0n, backed, backed]);
        for (const [index, leg] of drawn.legs.entries()) {
          const request = makerRequest(drawn, leg);
          const direction = request.side === 'buy' ? 1n : -1n;
          const price = (request.shares * request.price) / FULL;
          expect(moved[4 + index]).toEqual([
            -direction * price,
            request.outcome === 0 ? direction * request.shares : 0n,
            request.outcome === 1 ? direction * request.shares : 0n,
          ]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('fails as a whole when one part of it is overfilled, cancelled, priced too badly, changed after it was signed, or signed by another account', async () => {
    const spoils = {
      Overfilled: async (part: MatchPart) => ({ ...part, fill: part.order.makerAmount + 1n }),
      BadAmounts: async (part: MatchPart) => ({ ...part, fill: 0n }),
      Cancelled: async (part: MatchPart) => {
        await createEvmSender(fixture.node.client, await nameOf(part.order.maker)).send({
          to: exchange,
          data: encodeFunctionData({
            abi: EXCHANGE_ABI,
            functionName: 'cancelOrders',
            args: [[part.order]],
          }),
        });
        return part;
      },
      BadSignature: async (part: MatchPart, by: number) =>
        by % 3 === 0
          ? { ...part, order: { ...part.order, takerAmount: part.order.takerAmount - 1n } }
          : by % 3 === 1
            ? { ...part, signature: await signChainOrder(OWNER, part.order) }
            : { ...part, order: { ...part.order, signatureType: 2 as const } },
      NotCrossing: async (part: MatchPart) =>
        resigned(part, { takerAmount: part.order.takerAmount * 100n }),
    };
    await fc.assert(
      fc.asyncProperty(
        matchArbitrary,
        fc.constantFrom(...(Object.keys(spoils) as (keyof typeof spoils)[])),
        fc.nat(),
        async (drawn, kind, by) => {
          const { taker, makers, fee } = await signed(drawn);
          const at = by % makers.length;
          const victim = makers[at];
          if (victim === undefined) return;
          const spoilt = await spoils[kind](victim, by);
          const before = await purse(alice.address);
          expect(
            await fixture.refusal(
              taker,
              makers.map((part, index) => (index === at ? spoilt : part)),
              fee,
            ),
          ).toBe(kind);
          expect(await purse(alice.address)).toEqual(before);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('refuses a taker who would get less than it signed for, and a fee beyond its limit', async () => {
    await fc.assert(
      fc.asyncProperty(matchArbitrary, async (drawn) => {
        const { taker, makers, money } = await signed(drawn);
        const limit = money / 10n + 10n * BigInt(makers.length);
        expect(await fixture.refusal(taker, makers, limit + 1n)).toBe('FeeTooHigh');
        const greedy = await resigned(
          taker,
          drawn.side === 'buy'
            ? { takerAmount: taker.order.takerAmount * 100n }
            : { takerAmount: money * 100n },
        );
        expect(await fixture.refusal(greedy, makers)).toBe('NotCrossing');
        // All legs cross, but more of the order would be used up than the legs pay for.
        const used = await resigned(taker, {
          makerAmount: taker.order.makerAmount * 30n,
          takerAmount: taker.order.takerAmount * 30n,
        });
        expect(await fixture.refusal({ ...used, fill: used.order.makerAmount }, makers)).toBe(
          'PriceWorse',
        );
      }),
      { numRuns: 20 },
    );
  });
});

async function resigned(part: MatchPart, changed: Partial<ChainOrder>): Promise<MatchPart> {
  const order = { ...part.order, ...changed };
  return { ...part, order, signature: await signChainOrder(await nameOf(order.maker), order) };
}

async function nameOf(address: Hex): Promise<PrivateKeyAccount> {
  for (const name of ['alice', 'bob', 'carol', 'dave', 'erin']) {
    const account = await fixture.trader(name);
    if (account.address === address) return account;
  }
  throw new Error(`no trader has ${address}`);
}
