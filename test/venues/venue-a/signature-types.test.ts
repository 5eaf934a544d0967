import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { createOrderSigner, type OrderSignerConfig } from '../../../src/venues/venue-a/sign.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { eventually } from '../../support/eventually.ts';
import { startWireVenue, type WireVenue } from '../../support/fixtures/wire-venue.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { handleOf } from '../../support/attempts.ts';
import { type OrderIntent } from '../../../src/domain/order.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** Another account; a publicly known test account. */
const STRANGER = asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const WALLET_REFUSAL = 'maker address not allowed, please use the deposit wallet flow';
const SIGNER_REFUSAL = 'the order signer address has to be the address of the API KEY';
let wire: WireVenue;
let salt = 0;

beforeAll(async () => {
  wire = await startWireVenue();
  await wire.accounts.open(wire.userId);
});
afterAll(() => wire.close());

/** Sends a bid of 5 USDC that the user's key signs for an account of the caller's choice. */
async function bidFor(account: OrderSignerConfig['account']) {
  const keccak = await loadKeccak();
  const { exchange, negRiskExchange } = POLYGON_CHAIN;
  const signer = createOrderSigner({
    vault: wire.vault,
    keccak,
    random: createSeededRandom('salts'),
    config: {
      ...POLYGON_CHAIN,
      exchange: asId(exchange),
      negRiskExchange: asId(negRiskExchange),
      account,
      ownerOf: (user) => wire.venue.ownerOf(user),
    },
  });
  const createdAtMs = wire.clock.nowMs();
  salt += 1;
  const intent: OrderIntent = {
    intentId: asId(`int_${salt}`),
    userId: wire.userId,
    venue: VENUE_A,
    cashAccount: 'usdc:safe',
    origin: { kind: 'manual' },
    marketId: wire.marketId,
    tokenId: wire.tokens[0],
    outcome: 0,
    side: 'buy',
    life: 'part_now',
    price: priceTicks(5_000),
    spendMicros: 5_000_000,
    receiveMicros: 10_000_000,
    exact: 'spend',
    createdAtMs,
    expiresAtMs: null,
    sendUntilMs: createdAtMs + 5_000,
  };
  return wire.orders.submit(
    handleOf(intent, signer.sign(intent, { salt, timestampMs: createdAtMs, negRisk: false })),
  );
}

describe('an order signed for a wallet', () => {
  it('moves the funds of the Safe, and what it buys lies in the Safe', async () => {
    const { exchange } = wire.fixture;
    const { safeOf } = createWalletAddresses(await loadKeccak(), POLYGON_CHAIN.wallets);
    wire.quote({ tokenId: wire.tokens[0], side: 'sell', price: 5_000, shares: 10 });
    expect(await bidFor({ signatureType: 2, walletOf: () => wire.funder })).toMatchObject({
      kind: 'accepted',
    });
    await eventually(() =>
      expect(exchange.funds(wire.funder, wire.tokens[0]).balance).toBe(10_000_000),
    );
    expect([wire.funder, await wire.accounts.collateral(wire.userId)]).toEqual([
      safeOf(wire.vault.addressOf(wire.userId)),
      exchange.funds(wire.funder, 'usdc').balance,
    ]);
    expect(exchange.funds(wire.vault.addressOf(wire.userId), wire.tokens[0]).balance).toBe(0);
  });

  it.each<[string, () => Promise<OrderSignerConfig['account']>, string]>([
    [
      'the Safe of another key',
      async () => ({ signatureType: 2, walletOf: await strangersSafe() }),
      WALLET_REFUSAL,
    ],
    [
      'the key itself in the place of its Safe',
      async () => ({ signatureType: 2, walletOf: () => wire.vault.addressOf(wire.userId) }),
      WALLET_REFUSAL,
    ],
    [
      'its Safe, called a deposit wallet',
      async () => ({ signatureType: 3, walletOf: () => wire.funder }),
      SIGNER_REFUSAL,
    ],
    [
      'the deposit wallet of another key',
      async () => ({ signatureType: 3, walletOf: await strangersDepositWallet() }),
      SIGNER_REFUSAL,
    ],
  ])("is refused in the venue's words for %s", async (_whose, account, reason) => {
    expect(await bidFor(await account())).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining(reason),
    });
  });
});

async function strangersSafe(): Promise<() => Address> {
  const { safeOf } = createWalletAddresses(await loadKeccak(), POLYGON_CHAIN.wallets);
  return () => safeOf(STRANGER);
}

async function strangersDepositWallet(): Promise<() => Address> {
  const { depositWalletOf } = createWalletAddresses(await loadKeccak(), POLYGON_CHAIN.wallets);
  return () => depositWalletOf(STRANGER);
}
