import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createEvmChain } from '../../src/adapters/evm/evm-chain.ts';
import { asId, type Address } from '../../src/domain/ids.ts';
import type { Hex } from '../../src/ports/evm.ts';
import { VENUE_A_CHAIN } from '../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { T0 } from '../support/builders.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { FakeChain } from '../support/fakes/fake-chain.ts';
import { CONTRACTS } from '../support/worlds/money-world.ts';
import { startChainFixture } from '../support/fixtures/relayer-fixture.ts';
import { evmContract } from './evm.ts';

evmContract('the chain of the tests', async () => {
  const chain = new FakeChain(createVirtualClock(T0), CONTRACTS);
  const mine = async (blocks: number) => Array.from({ length: blocks }).forEach(() => chain.mine());
  return {
    chain,
    token: CONTRACTS.collateral,
    mine,
    async mint(to, amount) {
      const hash = chain.mint(CONTRACTS.collateral, to, amount);
      await mine(1);
      return hash;
    },
    async takenBack(act) {
      const hash = await act();
      chain.reorganise(1, 'lost');
      return hash;
    },
    close: async () => undefined,
  };
});

evmContract('a real node', async () => {
  const fixture = await startChainFixture();
  return {
    chain: createEvmChain({
      chainId: 137,
      rpcUrl: fixture.node.url,
      metrics: createCountingMetrics(),
    }),
    token: asId<Address>(VENUE_A_CHAIN.collateral),
    async mint(to, amount) {
      await fixture.mint(to as unknown as Hex, amount); // an Address is 0x hex
      const block = await fixture.node.client.getBlock();
      return block.transactions[0] ?? '0x';
    },
    mine: (blocks) => fixture.node.client.mine({ blocks }),
    async takenBack(act) {
      const id = await fixture.node.client.snapshot();
      const hash = await act();
      await fixture.node.client.revert({ id });
      return hash;
    },
    close: () => fixture.close(),
  };
});
