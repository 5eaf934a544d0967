import { encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createSafes } from '../../../src/adapters/safe-relayer/safes.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { EvmChain } from '../../../src/ports/evm.ts';
import type {
  Safes,
  SignedSafeTransaction,
} from '../../../src/adapters/safe-relayer/safe-transaction.ts';
import type { SendOutcome } from '../../../src/ports/transactions.ts';
import { VENUE_A_CHAIN } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { TOKEN_ABI } from '../../../src/sandbox/chains/evm/contract-abis.ts';
import { deriveWallets } from '../../../src/sandbox/venues/venue-a/wallets/wallet-derivation.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { holdKeys } from '../../support/key-holder.ts';
import {
  BUILDER,
  startChainFixture,
  startRelayerFixture,
  type ChainFixture,
  type RelayerFixture,
} from '../../support/fixtures/relayer-fixture.ts';

const FRIEND: Hex = '0x2222222222222222222222222222222222222222';
/** One owner for each test, so that no nonce is shared. Made up here; never fund them. */
const USERS = [
  'create',
  'batch',
  'late',
  'lost',
  'doubled',
  'stuck',
  'foreign',
  'inside',
  'superseded',
  'busy',
  'deposed',
] as const;
const user = (name: (typeof USERS)[number]) => asId<UserId>(`usr_${name}`);
const vault = holdKeys(
  Object.fromEntries(
    USERS.map((name, index): [string, Hex] => [
      user(name),
      `0x${String(index + 1).padStart(64, '5')}`,
    ]),
  ),
);

let fixture: ChainFixture;
let relay: RelayerFixture;
let chain: EvmChain;
let safes: Safes & { close(): Promise<void> };

beforeAll(async () => {
  fixture = await startChainFixture();
  relay = await startRelayerFixture(fixture.chain, createWallClock());
  chain = createEvmChain({
    chainId: 137,
    rpcUrl: fixture.node.url,
    metrics: createCountingMetrics(),
  });
  safes = safesWith({});
});
afterAll(async () => {
  await safes.close();
  await relay.relayer.close();
  await fixture.close();
});

function safesWith(options: {
  readonly submitTimeoutMs?: number;
  readonly builder?: typeof BUILDER;
}) {
  return createSafes({
    relayerUrl: relay.relayer.url,
    chain,
    vault,
    clock: createWallClock(),
    metrics: createCountingMetrics(),
    contracts: {
      chainId: 137,
      factory: asId<Address>(VENUE_A_CHAIN.safeFactory),
      multisend: asId<Address>(VENUE_A_CHAIN.multiSend),
    },
    addressOf: (owner) => deriveWallets(owner).safe,
    builder: BUILDER,
    ...options,
  });
}

const sinceBlock = async () => (await chain.head()).blockNumber;
const hex = (address: Address) => address as unknown as Hex; // an Address is checksummed 0x hex
const transfer = (amount: bigint) => ({
  to: asId<Address>(VENUE_A_CHAIN.collateral),
  data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [FRIEND, amount] }),
  valueWei: 0n,
});
const submit = (signed: SignedSafeTransaction, by: Safes = safes) => by.submit(by.bodyOf(signed));
const idOf = (outcome: SendOutcome) => (outcome.kind === 'accepted' ? outcome.handle : '');

/** Waits until the chain has decided an action, and gives its word. */
const decided = (action: SignedSafeTransaction, since: number) =>
  eventually(async () => {
    const status = await safes.status(action, since);
    if (status.kind === 'open') throw new Error('not decided yet');
    return status;
  });

/** A deployed Safe, with dollars in it. */
async function standing(name: (typeof USERS)[number], micros = 100n): Promise<Address> {
  const since = await sinceBlock();
  const create = safes.signCreate(user(name));
  await submit(create);
  await decided(create, since);
  await relay.relayer.work();
  await fixture.mint(hex(create.safe), micros);
  return create.safe;
}

describe('Safes over a real chain and relayer', () => {
  it('deploys a Safe once: open before, done after, done earlier for whoever looks later', async () => {
    const since = await sinceBlock();
    const create = safes.signCreate(user('create'));
    expect([
      await safes.status(create, since),
      await safes.isDeployed(create.safe),
      await safes.nonce(create.safe),
    ]).toEqual([{ kind: 'open' }, false, 0]);
    const taken = await submit(create);
    expect(taken.kind).toBe('accepted');
    expect((await decided(create, since)).kind).toBe('done');
    expect(
      await eventually(async () => {
        const word = await safes.lookup(idOf(taken));
        if (word.kind === 'pending') throw new Error('the relayer has not looked yet');
        return word.kind;
      }),
    ).toMatch(/mined|confirmed/);
    expect([await safes.isDeployed(create.safe), (await submit(create)).kind]).toEqual([
      true,
      'stale',
    ]);
    await fixture.node.client.mine({ blocks: 2 });
    expect(await safes.status(create, (await sinceBlock()) - 1)).toEqual({ kind: 'done_earlier' });
  });

  it('executes a batch as a whole, and counts the blocks on top of it', async () => {
    const safe = await standing('batch');
    const since = await sinceBlock();
    const before = await fixture.balanceOf(FRIEND);
    const action = safes.signExecute(user('batch'), {
      calls: [transfer(1n), transfer(2n)],
      nonce: 0,
      note: 'two',
    });
    expect((await submit(action)).kind).toBe('accepted');
    expect(await decided(action, since)).toMatchObject({ kind: 'done', confirmations: 1 });
    await fixture.node.client.mine({ blocks: 2 });
    expect(await safes.status(action, since)).toMatchObject({ kind: 'done', confirmations: 3 });
    expect([
      await safes.nonce(safe),
      await fixture.balanceOf(hex(safe)),
      (await fixture.balanceOf(FRIEND)) - before,
    ]).toEqual([1, 97n, 3n]);
  });

  it.each(['late', 'lost'] as const)(
    'L1, L2: is unknown when the answer is %s, and the same bytes again change nothing',
    async (name) => {
      const safe = await standing(name);
      const since = await sinceBlock();
      relay.faults.arm(name === 'late' ? 'relayer-late' : 'relayer-lost', { times: 1 });
      const action = safes.signExecute(user(name), { calls: [transfer(5n)], nonce: 0, note: name });
      const submitting = safesWith(name === 'late' ? { submitTimeoutMs: 500 } : {});
      expect((await submit(action, submitting)).kind).toBe('unknown');
      await submitting.close();
      expect((await decided(action, since)).kind).toBe('done');
      await relay.relayer.work();
      expect((await submit(action)).kind).toBe('stale');
      expect([await safes.nonce(safe), await fixture.balanceOf(hex(safe))]).toEqual([1, 95n]);
    },
  );

  it("L1: executes an action once that the relayer broadcasts twice, whatever the copy's row says", async () => {
    const safe = await standing('doubled');
    const since = await sinceBlock();
    relay.faults.arm('relayer-doubled', { times: 1 });
    const action = safes.signExecute(user('doubled'), {
      calls: [transfer(5n)],
      nonce: 0,
      note: 'twice',
    });
    const taken = await submit(action);
    expect((await decided(action, since)).kind).toBe('done');
    await relay.relayer.work();
    expect((await safes.lookup(idOf(taken))).kind).toMatch(/mined|confirmed/);
    expect([await safes.nonce(safe), await fixture.balanceOf(hex(safe))]).toEqual([1, 95n]);
  });

  it('L2: stays open while the relayer has taken an action and never broadcasts it; no second one gets in', async () => {
    const safe = await standing('stuck');
    const since = await sinceBlock();
    relay.faults.arm('relayer-stuck', { match: { address: safe } });
    const action = safes.signExecute(user('stuck'), {
      calls: [transfer(5n)],
      nonce: 0,
      note: 'never',
    });
    const taken = await submit(action);
    await relay.relayer.work();
    expect([
      await safes.status(action, since),
      await safes.lookup(idOf(taken)),
      (await submit(action)).kind,
    ]).toEqual([{ kind: 'open' }, { kind: 'pending' }, 'busy']);
    relay.faults.clear('relayer-stuck');
    await relay.relayer.work();
    expect((await decided(action, since)).kind).toBe('done');
  });

  it('L2: goes by the chain when the relayer tells the hash of another transaction', async () => {
    await standing('foreign');
    const since = await sinceBlock();
    relay.faults.arm('relayer-foreign-hash', { times: 1 });
    const action = safes.signExecute(user('foreign'), {
      calls: [transfer(5n)],
      nonce: 0,
      note: 'foreign',
    });
    const taken = await submit(action);
    const status = await decided(action, since);
    await relay.relayer.work();
    const word = await safes.lookup(idOf(taken));
    if (status.kind !== 'done' || (word.kind !== 'mined' && word.kind !== 'confirmed'))
      throw new Error('both say it was executed');
    expect(word.transactionHash).not.toBe(status.transactionHash);
    expect(await chain.receipt(word.transactionHash)).toBeNull();
    expect(await chain.receipt(status.transactionHash)).toMatchObject({ succeeded: true });
  });

  it('L2: leaves an action open that the relayer calls invalid since it would fail inside: it has not been executed', async () => {
    const safe = await standing('inside');
    const since = await sinceBlock();
    const action = safes.signExecute(user('inside'), {
      calls: [transfer(1_000n)],
      nonce: 0,
      note: 'too much',
    });
    const taken = await submit(action);
    await relay.relayer.work();
    expect([
      await safes.lookup(idOf(taken)),
      await safes.status(action, since),
      await safes.nonce(safe),
    ]).toEqual([
      { kind: 'failed', reason: 'STATE_INVALID', transactionHash: null },
      { kind: 'open' },
      0,
    ]);
    // What it lacked comes in: the same bytes are good now, which is why the relayer's word decides
    // nothing.
    await fixture.mint(hex(safe), 2_000n);
    expect((await submit(action)).kind).toBe('accepted');
    expect((await decided(action, since)).kind).toBe('done');
  });

  it('L1: tells that another action used the nonce, so that this one never will be executed', async () => {
    const safe = await standing('superseded');
    const since = await sinceBlock();
    const sign = (amount: bigint) =>
      safes.signExecute(user('superseded'), {
        calls: [transfer(amount)],
        nonce: 0,
        note: 'one of two',
      });
    await submit(sign(1n));
    await decided(sign(1n), since);
    await relay.relayer.work();
    expect(await safes.status(sign(2n), since)).toMatchObject({
      kind: 'failed',
      cause: 'superseded',
    });
    expect([(await submit(sign(2n))).kind, await safes.nonce(safe)]).toEqual(['stale', 1]);
  });

  it('hears that the wallet is busy', async () => {
    const safe = await standing('busy');
    relay.faults.arm('relayer-busy', { times: 1, match: { address: safe } });
    const action = safes.signExecute(user('busy'), { calls: [transfer(1n)], nonce: 0, note: '' });
    expect([(await submit(action)).kind, (await submit(action)).kind]).toEqual([
      'busy',
      'accepted',
    ]);
  });

  it('L2: leaves an action undecided when the credentials are wrong: that says nothing about its bytes', async () => {
    const strangers = safesWith({ builder: { ...BUILDER, passphrase: 'wrong' } });
    expect(await submit(strangers.signCreate(user('deposed')), strangers)).toMatchObject({
      kind: 'unknown',
      reason: 'answered 401: invalid authorization',
    });
    await strangers.close();
  });
});
