import { beforeEach, describe, expect, it } from 'vitest';
import { TRANSACTION } from '../../../config/limits/funds.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type {
  ChainAccount,
  TransactionBody,
  TransactionRecord,
} from '../../../src/domain/transaction.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { OPEN_TRANSACTIONS, TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import type { Verdict } from '../../../src/services/transactions/transaction-effects.ts';
import { foldSigned } from '../../../src/services/transactions/transaction-fold.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import {
  FakeEvmRail,
  FakeSolanaRail,
  VALID_BLOCKS,
  type SolanaReceipt,
} from '../../support/fakes/fake-rails.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);
const TOKEN = asId<Address>(`0x${'11'.repeat(20)}`);
const EVM: ChainAccount = { chain: 'BASE', rail: 'evm', address: '0xaccount' };
const SOLANA: ChainAccount = { chain: 'SOLANA', rail: 'solana', address: 'account' };
const CALL: TransactionBody = {
  kind: 'calls',
  calls: [{ to: TOKEN, data: '0x', valueWei: '1' }],
};
const message = (lastValidHeight: number | null): TransactionBody => ({
  kind: 'message',
  base64: 'bWVzc2FnZQ==',
  lastValidHeight,
});

function aWorld() {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const [evm, solana] = [new FakeEvmRail(clock), new FakeSolanaRail(clock)];
  /** Ends that were booked, each with its receipt's hash. */
  const booked: string[] = [];
  /** Why what has not left is given up. */
  const unwanted = { reason: null as string | null, canUndo: true };
  /** What an executed one came to. */
  let verdict: Verdict = { state: 'done', reason: null };
  /** Names of those that were undone. */
  const undone: string[] = [];
  let lives = 0;
  const live = () => {
    lives += 1;
    const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
    const transactions = createTransactions<EvmReceipt | SolanaReceipt>({
      store,
      commit,
      rails: [evm, solana],
      books: {
        refusal: () => unwanted.reason,
        undo(_tx, { state, attempts }) {
          if (unwanted.canUndo && state === 'failed') undone.push(attempts[0]?.id ?? '');
          return unwanted.canUndo;
        },
        verdict: () => verdict,
        close: (_tx, { state }, receipt) =>
          void booked.push(`${state} ${receipt === null ? 'without receipt' : 'by receipt'}`),
      },
      clock,
      random: createSeededRandom(`rails ${lives}`),
      log: createKeptLog(),
      metrics: createKeptMetrics(),
    });
    const ask = async (account: ChainAccount, body: TransactionBody) => {
      const purpose = {
        owner: 'safe',
        kind: 'wrap',
        data: { token: TOKEN, amount: usdcMicros(1) },
      } as const;
      const record = await commit((tx) =>
        transactions.intend(tx, { userId: USER, account, purpose, body }),
      );
      transactions.wake(USER);
      return () => transactions.get(USER, record.transactionId) ?? record;
    };
    return { transactions, ask };
  };
  const judge = (after: Verdict) => void (verdict = after);
  return { clock, store, evm, solana, booked, unwanted, undone, judge, live };
}

let world: ReturnType<typeof aWorld>;
beforeEach(() => {
  world = aWorld();
});

const boundsOf = ({ attempts }: TransactionRecord) => attempts.map(({ bound }) => bound);
const idsOf = (...records: readonly TransactionRecord[]) =>
  records.flatMap(({ attempts }) => attempts.map(({ id }) => id));
const proofsOf = ({ dead }: TransactionRecord) => dead.map(({ proof }) => proof);

describe('an EVM account', () => {
  it('has one transaction in flight, under one nonce after the other, and waits for no other account', async () => {
    const { ask } = world.live();
    world.evm.drops = true;
    const [first, second] = [await ask(EVM, CALL), await ask(EVM, CALL)];
    const other = await ask(SOLANA, message(null));
    await world.clock.advance(20_000);
    expect([first().attempts.length, second().attempts.length, other().state]).toEqual([
      1,
      0,
      'done',
    ]);
    world.evm.drops = false;
    await world.clock.advance(40_000);
    expect([first(), second()].map((record) => [record.state, ...boundsOf(record)])).toEqual([
      ['done', { kind: 'nonce', nonce: 0 }],
      ['done', { kind: 'nonce', nonce: 1 }],
    ]);
  });

  it('L1: pays more under the same nonce by the rule of its rail alone, and is booked once, whichever lands', async () => {
    const { ask } = world.live();
    world.evm.leastFee = 105;
    const record = await ask(EVM, CALL);
    await world.clock.advance(25_000);
    expect(record().attempts).toHaveLength(1);
    await world.clock.advance(60_000);
    expect([record().state, boundsOf(record()), world.booked]).toEqual([
      'done',
      [
        { kind: 'nonce', nonce: 0 },
        { kind: 'nonce', nonce: 0 },
      ],
      ['done by receipt'],
    ]);
    expect(record().transactionHash).toBe(record().attempts[1]?.id);
    expect(world.evm.nonces.get(EVM.address)?.next).toBe(1);
  });

  it('L1: is done by the cheaper attempt where that is the one a block takes', async () => {
    const { ask } = world.live();
    world.evm.leastFee = 1_000;
    const record = await ask(EVM, CALL);
    await world.clock.advanceUntil(() => record().attempts.length === 2, 60_000);
    world.evm.landed.set(record().attempts[0]?.id ?? '', {
      height: world.evm.height,
      succeeded: true,
    });
    await world.clock.advance(30_000);
    expect([record().state, record().transactionHash]).toEqual(['done', record().attempts[0]?.id]);
  });

  it('L2: goes on waiting for what is out where nothing can take its place', async () => {
    const { ask } = world.live();
    world.evm.leastFee = 200;
    world.evm.refusesReplacements = true;
    const record = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    expect([record().state, record().attempts.length]).toEqual(['submitted', 1]);
    world.evm.leastFee = 100;
    await world.clock.advance(30_000);
    expect(record().state).toBe('done');
  });

  it('L1: is signed under the next nonce once the proof is stored that another transaction used the last', async () => {
    const { ask } = world.live();
    world.evm.leastFee = 200;
    const record = await ask(EVM, CALL);
    await world.clock.advance(3_000);
    world.evm.useNonce(EVM.address);
    await world.clock.advance(2_000);
    world.evm.leastFee = 100;
    expect(record().attempts.map(({ bound }) => bound)).toEqual([{ kind: 'nonce', nonce: 0 }]);
    await world.clock.advance(TRANSACTION.neverProvenMs + 60_000);
    expect([record().state, boundsOf(record()), proofsOf(record())]).toEqual([
      'done',
      [{ kind: 'nonce', nonce: 1 }],
      [{ kind: 'nonce_used', nonce: 0 }],
    ]);
  });

  it('L1, L2: signs nothing anew while one answer has its nonce used, and another has no block of it', async () => {
    const { ask } = world.live();
    const record = await ask(EVM, CALL);
    await world.clock.advance(3_000);
    const [id = ''] = idsOf(record());
    const landed = world.evm.landed.get(id);
    world.evm.landed.delete(id);
    await world.clock.advance(TRANSACTION.neverProvenMs / 2);
    expect([record().state, world.evm.signatures]).toEqual(['mined', 1]);
    if (landed !== undefined) world.evm.landed.set(id, landed);
    await world.clock.advance(60_000);
    expect([record().state, idsOf(record()), world.evm.signatures]).toEqual(['done', [id], 1]);
  });

  it('L1, L4: sends again what a block that was taken back had, with the same bytes, before anything new is signed', async () => {
    const { ask } = world.live();
    const [first, second] = [await ask(EVM, CALL), await ask(EVM, CALL)];
    await world.clock.advance(60_000);
    const bytes = [first(), second()].map(({ attempts }) => attempts[0]?.bytes);
    world.evm.takeBack(EVM.address, 0, idsOf(first(), second()));
    const third = await ask(EVM, CALL);
    await world.clock.advance(1_000);
    expect([third().attempts, third().reason, world.evm.sent.slice(2, 4)]).toEqual([
      [],
      'the chain shows nonce 0 as the next one, and it is used',
      bytes,
    ]);
    await world.clock.advance(60_000);
    expect([third().state, boundsOf(third()), world.evm.signatures, world.booked.length]).toEqual([
      'done',
      [{ kind: 'nonce', nonce: 2 }],
      3,
      3,
    ]);
  });

  it('L1, L4: sends again what stood before it where its bytes are out and the chain wants an earlier nonce', async () => {
    const { ask } = world.live();
    const first = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    world.evm.drops = true;
    const second = await ask(EVM, CALL);
    await world.clock.advance(3_000);
    world.evm.takeBack(EVM.address, 0, idsOf(first()));
    world.evm.drops = false;
    await world.clock.advance(60_000);
    expect([second().state, boundsOf(second()), world.evm.signatures]).toEqual([
      'done',
      [{ kind: 'nonce', nonce: 1 }],
      2,
    ]);
    expect(world.evm.landed.has(idsOf(first())[0] ?? '')).toBe(true);
  });

  it('L4: asks again about what has ended: what no block has is sent again, what fails then is booked as undone, once', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    const again = () => transactions.askAgain(USER, 'BASE');
    expect(await again()).toEqual({ moving: 0, changed: 0 });
    world.evm.takeBack(EVM.address, 0, idsOf(done()));
    world.evm.reverting.add(EVM.address);
    expect([await again(), world.evm.sent.length]).toEqual([{ moving: 1, changed: 0 }, 2]);
    await world.clock.advance(1_000);
    expect([await again(), done().state]).toEqual([{ moving: 1, changed: 0 }, 'done']);
    await world.clock.advance(20_000);
    expect([await again(), await again(), world.undone]).toEqual([
      { moving: 0, changed: 1 },
      { moving: 0, changed: 0 },
      [idsOf(done())[0]],
    ]);
    expect([done().state, done().reason]).toEqual(['failed', 'undone: execution reverted']);
  });

  it('L4: asks again about what has ended however many came after it, where the chain shows another sum', async () => {
    const { ask, transactions } = world.live();
    const first = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    for (let more = 0; more < TRANSACTION.watchedMaximum; more += 1) {
      await ask(EVM, CALL);
      await world.clock.advance(20_000);
    }
    for (const id of idsOf(first())) world.evm.landed.delete(id);
    expect(await transactions.watchEnded(USER)).toEqual({ moving: 0, changed: 0 });
    expect((await transactions.askAgain(USER, 'BASE')).moving).toBe(1);
  });

  it('L4: asks again about what has ended on any chain for a while, and about no other kind of account', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await ask(SOLANA, message(null));
    await world.clock.advance(60_000);
    world.evm.takeBack(EVM.address, 0, idsOf(done()));
    world.evm.drops = true;
    expect(await transactions.watchEnded(USER)).toEqual({ moving: 1, changed: 0 });
    await world.clock.advance(TRANSACTION.watchedMs);
    expect(await transactions.watchEnded(USER)).toEqual({ moving: 0, changed: 0 });
    expect((await transactions.askAgain(USER, 'BASE')).moving).toBe(1);
  });

  it('L4: books as undone what is executed again and comes to nothing then', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    world.judge({ state: 'failed', reason: 'executed, and nothing left' });
    expect(await transactions.askAgain(USER, 'BASE')).toEqual({ moving: 0, changed: 1 });
    expect([done().state, done().reason]).toEqual(['failed', 'undone: executed, and nothing left']);
  });

  it('leaves what has ended as it is where its purpose does not say how that is undone', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    world.unwanted.canUndo = false;
    world.evm.takeBack(EVM.address, 0, idsOf(done()));
    world.evm.useNonce(EVM.address);
    await world.clock.advance(20_000);
    await transactions.askAgain(USER, 'BASE');
    await world.clock.advance(TRANSACTION.neverProvenMs);
    expect([await transactions.askAgain(USER, 'BASE'), done().state]).toEqual([
      { moving: 0, changed: 0 },
      'done',
    ]);
  });

  it('L4: does not take for undone what one node has no block of for a moment, and another knows the nonce of', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    const [id = ''] = idsOf(done());
    const landed = world.evm.landed.get(id);
    const again = () => transactions.askAgain(USER, 'BASE');
    const lost = () => world.evm.landed.delete(id);
    lost();
    expect(await again()).toEqual({ moving: 1, changed: 0 });
    await world.clock.advance(TRANSACTION.neverProvenMs);
    if (landed !== undefined) world.evm.landed.set(id, landed);
    expect(await again()).toEqual({ moving: 0, changed: 0 });
    lost();
    expect([await again(), done().state]).toEqual([{ moving: 1, changed: 0 }, 'done']);
    await world.clock.advance(TRANSACTION.neverProvenMs);
    expect([await again(), done().state]).toEqual([{ moving: 0, changed: 1 }, 'failed']);
  });

  it('L2: does not take for undone what is so old that a node may have forgotten its receipt', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await world.clock.advance(TRANSACTION.absenceProvesForMs + 60_000);
    for (const id of idsOf(done())) world.evm.landed.delete(id);
    for (let times = 0; times < 3; times += 1) {
      expect(await transactions.askAgain(USER, 'BASE')).toEqual({ moving: 0, changed: 0 });
      await world.clock.advance(TRANSACTION.neverProvenMs);
    }
    expect(done().state).toBe('done');
  });

  it('L2: does not take for undone what a node has pruned the blocks of, nor signs anew what is under way', async () => {
    const { ask, transactions } = world.live();
    const done = await ask(EVM, CALL);
    await world.clock.advance(60_000);
    world.evm.drops = true;
    const open = await ask(EVM, CALL);
    await world.clock.advance(5_000);
    world.evm.drops = false;
    world.evm.useNonce(EVM.address);
    world.evm.oldestBlock = Number.MAX_SAFE_INTEGER;
    const { signatures } = world.evm;
    for (let times = 0; times < 3; times += 1) {
      expect(await transactions.askAgain(USER, 'BASE')).toEqual({ moving: 0, changed: 0 });
      await world.clock.advance(TRANSACTION.neverProvenMs);
    }
    expect([done().state, open().state, world.evm.signatures - signatures]).toEqual([
      'done',
      'submitted',
      0,
    ]);
    world.evm.oldestBlock = 0;
    await world.clock.advance(2 * TRANSACTION.neverProvenMs);
    expect(open().state).toBe('done');
  });

  it('is given up where its owner wants it no more before it is signed, and not once its bytes are out', async () => {
    const { ask } = world.live();
    world.evm.drops = true;
    const [out, behind] = [await ask(EVM, CALL), await ask(EVM, CALL)];
    await world.clock.advance(5_000);
    world.unwanted.reason = 'its time passed';
    world.evm.drops = false;
    await world.clock.advance(60_000);
    expect([out().state, behind().state, behind().reason, behind().attempts]).toEqual([
      'done',
      'failed',
      'its time passed',
      [],
    ]);
  });

  it('fails by a final block in which its call failed, and lets the next one go', async () => {
    const { ask } = world.live();
    world.evm.reverting.add(EVM.address);
    const failed = await ask(EVM, CALL);
    await world.clock.advance(20_000);
    world.evm.reverting.clear();
    const next = await ask(EVM, CALL);
    await world.clock.advance(20_000);
    expect([failed().state, failed().reason, next().state, world.booked]).toEqual([
      'failed',
      'execution reverted',
      'done',
      ['failed without receipt', 'done by receipt'],
    ]);
  });

  it('L1, L9: is sent by the next process with the bytes that were stored, after the chain was asked', async () => {
    const first = world.live();
    world.evm.losesAnswers = true;
    world.evm.leastFee = 200;
    const record = await first.ask(EVM, CALL);
    await world.clock.advance(1_000);
    first.transactions.stop();
    world.evm.leastFee = 100;
    const second = world.live();
    expect(second.transactions.recover()).toBe(1);
    await world.clock.advance(30_000);
    expect([record().state, new Set(world.evm.sent).size, world.evm.signatures]).toEqual([
      'done',
      1,
      1,
    ]);
    expect(world.store.range(OPEN_TRANSACTIONS)).toEqual([]);
  });
});

describe('a Solana account', () => {
  it('L2: is asked for by the signature it had before it left, when the answer is lost', async () => {
    const { ask } = world.live();
    world.solana.losesAnswers = true;
    const record = await ask(SOLANA, message(null));
    await world.clock.advance(20_000);
    expect([record().state, record().transactionHash, world.solana.signatures]).toEqual([
      'done',
      record().attempts[0]?.id,
      1,
    ]);
  });

  it('L1: is signed with a fresh blockhash only after the height of the last one has passed, with the proof stored', async () => {
    const { ask } = world.live();
    world.solana.drops = true;
    const record = await ask(SOLANA, message(null));
    await world.clock.advance((VALID_BLOCKS - 2) * 2_000);
    expect([world.solana.signatures, new Set(world.solana.sent).size]).toEqual([1, 1]);
    expect(world.solana.sent.length).toBeGreaterThan(10);
    world.solana.drops = false;
    world.solana.isDown = true;
    await world.clock.advance(60_000);
    expect(world.solana.signatures).toBe(1);
    world.solana.isDown = false;
    await world.clock.advance(60_000);
    const done = record();
    expect([done.state, done.attempts.length, world.solana.landed.size]).toEqual(['done', 1, 1]);
    expect(proofsOf(done)).toMatchObject([{ kind: 'height_passed', lastValidHeight: 250 }]);
  });

  it('L1: ends without another attempt where the message has a blockhash of its own that has passed', async () => {
    const { ask } = world.live();
    world.solana.drops = true;
    const record = await ask(SOLANA, message(world.solana.height + 10));
    await world.clock.advance(60_000);
    expect([record().state, record().reason, world.solana.signatures, world.booked]).toEqual([
      'failed',
      'its blockhash has passed',
      1,
      ['failed without receipt'],
    ]);
    expect(proofsOf(record())).toHaveLength(1);
  });

  it('is neither sent nor given up while no node answers', async () => {
    const { ask } = world.live();
    world.solana.isDown = true;
    const record = await ask(SOLANA, message(null));
    await world.clock.advance(600_000);
    expect([record().state, record().attempts]).toEqual(['intended', []]);
  });
});

it('L1: no attempt is added to one that may land, but under its nonce', async () => {
  const { ask } = world.live();
  world.solana.drops = true;
  const record = await ask(SOLANA, message(null));
  await world.clock.advance(1_000);
  const [attempt] = record().attempts;
  if (attempt === undefined) throw new Error('it is signed');
  const add = (replacement: 'speed_up' | null) => () =>
    foldSigned(record(), attempt, { replacement, nowMs: T0 });
  expect(add(null)).toThrow('has nothing out that may land');
  expect(add('speed_up')).toThrow('is replaced under its own nonce');
  expect(world.store.range(TRANSACTIONS)).toHaveLength(1);
});
