import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import { draftKeys } from '../../src/adapters/keys/key-vault.ts';
import { newEvmKey } from '../../src/adapters/keys/evm-key.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { AGENT } from '../../config/limits.ts';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { AGENT_PROFILES } from '../../src/domain/agent.ts';
import { AGENT_IDS, type AgentId } from '../../src/domain/ids.ts';
import { choicesOf, defaultSettings } from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import { usdcMicros, type UsdcMicros } from '../../src/domain/units.ts';
import { USERS } from '../../src/services/sign-in/tables.ts';
import { AGENTS, BALANCES } from '../../src/services/books/tables.ts';
import { aUserId } from '../support/builders.ts';

/** Agents of a user that trade rounds: those a signal is for. */
export const ROUND_AGENTS: readonly AgentId[] = AGENT_IDS.filter(
  (agentId) => AGENT_PROFILES[agentId].kind === 'round',
);

/** Choices of sizes among the users: a shadow run each for every agent of the product. */
const SIZES = 500;
const SIZE_STEP_MICROS = 10_000;

/** Opens what seals the keys of the crowd. */
export function crowdEncryptor() {
  const random = createSeededRandom('crowd');
  return { random, encryptor: createLocalEncryptor(new Uint8Array(32).fill(7), random) };
}

/** Writes a store with so many users: each with keys, a hundred dollars and every agent enabled. */
export async function fillCrowd(path: string, users: number): Promise<void> {
  const store = await openLmdbStore({ path });
  const keccak = await loadKeccak();
  const { random, encryptor } = crowdEncryptor();
  const { safeOf } = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  const settings = new Map(
    AGENT_IDS.map((agentId) => [agentId, defaultSettings(choicesOf(STRATEGIES, agentId), AGENT)]),
  );
  for (let number = 0; number < users; number += 1) {
    const userId = aUserId(number);
    const draft = await draftKeys({ encryptor, random, keccak }, userId, {
      evm: newEvmKey(random),
      solana: random.bytes(32),
    });
    await store.write((tx) => {
      draft.keep(tx);
      tx.put(USERS, [userId], {
        userId,
        address: draft.evm,
        solanaAddress: draft.solana,
        safe: safeOf(draft.evm),
        phoneDigest: null,
        phoneMasked: null,
        phoneSealed: null,
        username: `user_${number}`,
        createdAtMs: 1,
        venueAccounts: { venue_a: { isOpen: true, grant: 'none' } },
      });
      tx.put(BALANCES, [userId, 'usdc:safe'], { settled: 100_000_000, provisional: 0 });
      for (const [agentId, of] of settings)
        tx.put(AGENTS, [userId, agentId], {
          userId,
          agentId,
          enabled: true,
          settings: { ...of, avgPositionSize: sizeOf(of.avgPositionSize, number) },
          updatedAtMs: 1,
        });
    });
  }
  await store.write((tx) =>
    tx.put(BALANCES, ['outside', 'usdc:safe'], { settled: -100_000_000 * users, provisional: 0 }),
  );
  await store.close();
}

function sizeOf(usual: UsdcMicros, number: number): UsdcMicros {
  return usdcMicros(usual - (number % SIZES) * (SIZE_STEP_MICROS / 2));
}
