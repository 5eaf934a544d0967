import { expect, it } from 'vitest';
import { createEvmRail } from '../../../src/adapters/evm/evm-rail.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { EvmAccounts } from '../../../src/ports/evm-account.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { FakeChain } from '../../support/fakes/fake-chain.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import { aVenueCall } from '../../support/venue-call.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';

const unused = (): never => {
  throw new Error('not asked for here');
};
const ACCOUNTS: EvmAccounts = {
  nonce: async () => 8,
  fees: unused,
  gas: unused,
  send: unused,
  simulate: unused,
  coinChange: unused,
  coins: unused,
  received: unused,
  allowance: unused,
};

/** A transaction under nonce 7, signed at a block, of an account that has used that nonce. */
async function aUsedNonce() {
  const chain = new FakeChain(createVirtualClock(T0), CONTRACTS);
  const rail = createEvmRail({
    chain: 'BASE',
    accounts: ACCOUNTS,
    evm: chain,
    vault: { signDigest: unused },
    loadKeys: unused,
    assertMaySign: unused,
    metrics: createKeptMetrics(),
  });
  const hash = chain.send(() => undefined);
  const record = {
    ...aVenueCall(createMemoryStore(), aUserId(1)),
    attempts: [
      {
        id: hash,
        bytes: '0x',
        bound: { kind: 'nonce', nonce: 7 },
        isCancel: false,
        sinceHeight: chain.blockNumber,
        signedAtMs: T0,
      },
    ],
  } as const;
  return { chain, status: async () => (await rail.status(record)).kind };
}

it('L1: a used nonce proves that a transaction never lands only where the node has the block at which it was signed', async () => {
  const { chain, status } = await aUsedNonce();
  expect(await status()).toBe('never');
  chain.oldestBlock = chain.blockNumber + 1;
  expect(await status()).toBe('pruned');
});

it('is what its receipt says, whatever else is pruned', async () => {
  const { chain, status } = await aUsedNonce();
  chain.mine();
  chain.oldestBlock = chain.blockNumber;
  expect(await status()).toBe('mined');
  chain.mine();
  chain.mine();
  expect(await status()).toBe('confirmed');
});
