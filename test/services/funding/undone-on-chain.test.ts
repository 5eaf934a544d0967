import { erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEvmWalletReads } from '../../../src/adapters/evm/wallet-reads.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { createUndoneMovements } from '../../../src/services/funding/undone-bookings.ts';
import { createWalletCash } from '../../../src/services/funding/wallet-cash.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { aUserId } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { openSwapWorld, WALLETS, type SwapWorld } from '../../support/worlds/swap-world.ts';
import { BASE_DOLLARS, STRANGER, transferLife } from '../../support/worlds/transfer-life.ts';

const [SENDER, RECIPIENT] = [aUserId(1), aUserId(2)];
/** Fails whatever is called. */
const REVERTS = '0x60006000fd';

let world: SwapWorld;
beforeAll(async () => {
  world = await openSwapWorld(['BASE']);
  await world.give('BASE', 1, 1_000);
});
afterAll(() => world.close());

async function node() {
  const { node: base } = (await world.chains.open('BASE')).local;
  const { client } = base;
  const ask = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    (client.request as unknown as (call: object) => Promise<unknown>)({ method, params });
  const held = (owner: string) =>
    client.readContract({
      address: BASE_DOLLARS,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [owner as Hex],
    });
  return { base, client, ask, held };
}

it('L4: a transfer from one user to another that the chain takes back and does not carry out again is undone for both, and books are what the chain holds', async () => {
  const store = createMemoryStore();
  const { base, client, ask, held } = await node();
  const [own, theirs] = [await held(WALLETS.evm), await held(STRANGER)];
  const life = transferLife(world, store, undefined, 'BASE');
  const { commit, transactions } = life;
  await commit((tx) => {
    for (const [userId, usdc] of [
      [SENDER, own],
      [RECIPIENT, theirs],
    ] as const)
      if (usdc > 0n)
        postToLedger(
          tx,
          userId,
          depositEntry({
            userId,
            cashAccount: 'usdc:base',
            transferId: 'before',
            usdc: usdcMicros(Number(usdc)),
            atMs: 1,
          }),
        );
  });
  const nodes = world.nodes.get('BASE');
  if (nodes?.kind !== 'evm') return expect.unreachable();
  const wallet = createEvmWalletReads({
    evm: nodes.evm,
    walletOf: async (userId) => asId<Address>(userId === SENDER ? WALLETS.evm : STRANGER),
    usdc: asId<Address>(BASE_DOLLARS),
    conditionalTokens: asId<Address>(BASE_DOLLARS),
    exchanges: [],
  });
  const { clock } = world;
  const log = createKeptLog();
  const parts = { store, commit, cashAccount: 'usdc:base', wallet, clock, marketClock: clock, log };
  const movements = createUndoneMovements({ ...parts, cashAccount: 'usdc:base' });
  const { read: compare } = createWalletCash({
    ...parts,
    cashAccount: 'usdc:base',
    async askAgain(userId) {
      const { moving, changed } = await transactions.askAgain(userId, 'BASE');
      return (await movements(userId)) || moving + changed > 0;
    },
  });
  const booked = (userId: UserId) => BigInt(balanceOf(store, userId, 'usdc:base').settled);
  const notified = (of: UserId) =>
    store.readJournal(0, 1_000).flatMap(({ event }) => {
      const facts = notificationOf(store, event)?.facts;
      return 'userId' in event && event.userId === of && facts !== undefined ? [facts.kind] : [];
    });

  await life.send('USDC', '12.5');
  await eventually(() => expect(life.latest()[0]?.state).toBe('settled'));
  await eventually(async () => {
    await compare(RECIPIENT);
    expect(booked(RECIPIENT)).toBe(theirs + 12_500_000n);
  });
  expect(booked(SENDER)).toBe(own - 12_500_000n);

  const hash = life.latest()[0]?.transactionHash as Hex; // settled with its block
  const { blockNumber } = await client.getTransactionReceipt({ hash });
  const code = await client.getCode({ address: BASE_DOLLARS });
  await ask('anvil_setCode', BASE_DOLLARS, REVERTS);
  // a block that came between question and call would leave the one below all of them
  await base.betweenBlocks(async () => {
    const head = await client.getBlockNumber({ cacheTime: 0 });
    await ask('anvil_reorg', Number(head - blockNumber) + 1, []);
    await ask('anvil_setCode', BASE_DOLLARS, REVERTS);
  });
  await eventually(
    async () => {
      await transactions.askAgain(SENDER, 'BASE');
      const again = await client.getTransactionReceipt({ hash });
      expect(again.status).toBe('reverted');
    },
    { interval: 500 },
  );
  await ask('anvil_setCode', BASE_DOLLARS, code);
  expect([await held(WALLETS.evm), await held(STRANGER)]).toEqual([own, theirs]);

  await eventually(
    async () => {
      for (const userId of [SENDER, RECIPIENT]) await compare(userId);
      expect([booked(SENDER), booked(RECIPIENT)]).toEqual([own, theirs]);
    },
    { interval: 500 },
  );
  transactions.stop();
  expect(life.latest()[0]?.state).toBe('failed');
  expect(notified(SENDER).slice(-1)).toEqual(['send_failed']);
  expect(notified(RECIPIENT).slice(-1)).toEqual(['deposit_taken_back']);
  expect(notified(RECIPIENT)).not.toContain('money_departed');
});
