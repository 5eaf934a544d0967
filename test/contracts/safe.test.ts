import type { Hex } from 'viem';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createEvmChain } from '../../src/adapters/evm/evm-chain.ts';
import { createSafes } from '../../src/adapters/safe-relayer/safes.ts';
import { asId, type Address } from '../../src/domain/ids.ts';
import { VENUE_A_CHAIN } from '../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { deriveWallets } from '../../src/sandbox/venues/venue-a/wallets/wallet-derivation.ts';
import { T0 } from '../support/builders.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { FakeChain } from '../support/fakes/fake-chain.ts';
import { FakeSafes } from '../support/fakes/fake-relayer.ts';
import { holdKeys } from '../support/key-holder.ts';
import { CONTRACTS } from '../support/worlds/money-world.ts';
import {
  BUILDER,
  startChainFixture,
  startRelayerFixture,
} from '../support/fixtures/relayer-fixture.ts';
import { safeContract, userNamed } from './safe.ts';

safeContract('the Safes of the tests', async () => {
  const chain = new FakeChain(createVirtualClock(T0), CONTRACTS);
  let users = 0;
  return {
    safes: new FakeSafes(chain),
    chain,
    token: CONTRACTS.collateral,
    newUser: () => userNamed(`${(users += 1)}`),
    async fund(safe, amount) {
      chain.mint(CONTRACTS.collateral, safe, amount);
      chain.mine();
    },
    pass: async () => chain.mine(),
    close: async () => undefined,
  };
});

safeContract('a real chain and the relayer’s wire', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `contract${index}`);
  const vault = holdKeys(
    Object.fromEntries(
      names.map((name, index): [string, Hex] => [
        userNamed(name),
        `0x${String(index + 1).padStart(64, '6')}`,
      ]),
    ),
  );
  const fixture = await startChainFixture();
  const clock = createWallClock();
  const { relayer } = await startRelayerFixture(fixture.chain, clock);
  const chain = createEvmChain({
    chainId: 137,
    rpcUrl: fixture.node.url,
    metrics: createCountingMetrics(),
  });
  const safes = createSafes({
    relayerUrl: relayer.url,
    chain,
    vault,
    clock,
    metrics: createCountingMetrics(),
    contracts: {
      chainId: 137,
      factory: asId<Address>(VENUE_A_CHAIN.safeFactory),
      multisend: asId<Address>(VENUE_A_CHAIN.multiSend),
    },
    addressOf: (owner) => deriveWallets(owner).safe,
    builder: BUILDER,
  });
  let users = 0;
  return {
    safes,
    chain,
    token: asId<Address>(VENUE_A_CHAIN.collateral),
    newUser: () => userNamed(names[users++] ?? 'unnamed'),
    async fund(safe, amount) {
      await relayer.work();
      await fixture.mint(safe as unknown as Hex, amount); // an Address is checksummed 0x hex
    },
    pass: () => relayer.work(),
    async close() {
      await safes.close();
      await relayer.close();
      await fixture.close();
    },
  };
});
