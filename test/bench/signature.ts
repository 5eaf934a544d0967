import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';
import { limitAmounts } from '../../src/venues/venue-a/orders/amounts.ts';
import { createOrderSigner } from '../../src/venues/venue-a/sign.ts';
import { TEST_KEY, UP } from '../conformance/venue-a-fixture.ts';
import { vaultWith } from '../support/known-keys.ts';
import { VENUE_A } from '../support/venue-ids.ts';
import { timeEach, type Timing } from './measure.ts';

/** What other work is counted in: one limit order of venue_a built and signed, µs. */
export async function timeSignature(): Promise<Timing> {
  const keccak = await loadKeccak();
  const userId = asId<UserId>('usr_bench');
  const { chainId, domainName, domainVersion } = POLYGON_CHAIN;
  const signer = createOrderSigner({
    vault: await vaultWith(keccak, userId, TEST_KEY),
    keccak,
    random: createSeededRandom('salts'),
    config: {
      chainId,
      domainName,
      domainVersion,
      exchange: asId(POLYGON_CHAIN.exchange),
      negRiskExchange: asId(POLYGON_CHAIN.negRiskExchange),
      account: { signatureType: 0 },
      ownerOf: () => '00000000-0000-0000-0000-000000000001',
    },
  });
  return timeEach(
    (round) => {
      const price = priceTicks(4_700);
      const amounts = limitAmounts({
        side: 'buy',
        price,
        shares: shareMicros(7_500_000 + (round % 100) * 10_000),
        tick: priceTicks(100),
      });
      return signer.sign(
        {
          intentId: asId('int_bench'),
          userId,
          venue: VENUE_A,
          cashAccount: 'usdc:safe',
          origin: { kind: 'manual' },
          marketId: asId('0x00'),
          tokenId: UP,
          outcome: 0,
          side: 'buy',
          life: 'rests',
          price,
          ...amounts,
          exact: 'receive',
          createdAtMs: 1_795_247_610_248 + round,
          expiresAtMs: 1_795_249_610_000,
          sendUntilMs: 1_795_247_615_248,
        },
        { salt: 479_249_096_354 + round, timestampMs: 1_795_247_610_248 + round, negRisk: false },
      );
    },
    { rounds: 20_000, warmUp: 3_000 },
  );
}
