import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOLANA_RAIL } from '../../../config/limits/solana.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createSolanaCalls } from '../../../src/adapters/solana/calls.ts';
import { solanaMessages } from '../../../src/adapters/solana/messages.ts';
import { createSolanaRail } from '../../../src/adapters/solana/solana-rail.ts';
import { createSolana } from '../../../src/adapters/solana/solana.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import type { Solana, SolanaSendOutcome, SolanaStatus } from '../../../src/ports/solana.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { startSolanaNode, type SolanaNode } from '../../support/fixtures/solana-node.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const TO = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USER = asId<UserId>('usr_1');
const SIGNATURE = new Uint8Array(64).fill(7);

/**
 * A node whose blocks come when the test says so, and a rail before it; records what was signed and
 * sent.
 */
function aRail() {
  const node = {
    height: 1_000,
    finalBehind: 32,
    answer: { kind: 'accepted' } as SolanaSendOutcome,
    status: { kind: 'absent' } as SolanaStatus,
    fee: 5_000n as bigint | null,
    sent: [] as string[],
  };
  const stop = { reason: null as string | null };
  const signed: string[] = [];
  const solana: Pick<Solana, 'latestBlockhash' | 'blockHeight' | 'send' | 'status' | 'feePaid'> = {
    latestBlockhash: async () => ({
      blockhash: '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn',
      lastValidBlockHeight: node.height + 150,
    }),
    blockHeight: async (commitment) =>
      commitment === 'finalized' ? node.height - node.finalBehind : node.height,
    async send(bytes) {
      node.sent.push(Buffer.from(bytes).toString('base64'));
      return node.answer;
    },
    status: async () => node.status,
    feePaid: async () => node.fee,
  };
  const vault: Pick<KeyVault, 'signSolana' | 'signSealed'> = {
    signSealed: () => SIGNATURE,
    signSolana(_userId, message) {
      signed.push(Buffer.from(message).toString('base64'));
      return SIGNATURE;
    },
  };
  const clock = createVirtualClock(1_800_000_000_000);
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const ends: TransactionRecord[] = [];
  const transactions = createTransactions({
    store,
    commit,
    rails: [
      createSolanaRail({
        solana,
        vault,
        loadKeys: async () => undefined,
        assertMaySign() {
          if (stop.reason !== null) throw new Error(stop.reason);
        },
      }),
    ],
    books: {
      verdict: () => ({ state: 'done', reason: null }),
      close: (_tx, record) => void ends.push(record),
    },
    clock,
    random: createSeededRandom(1),
    log: createKeptLog(),
    metrics: createKeptMetrics(),
  });
  const start = async () => {
    const record = await commit((tx) =>
      transactions.intend(tx, {
        userId: USER,
        account: { chain: 'SOLANA', rail: 'solana', address: TO },
        purpose: {
          owner: 'send',
          kind: 'send',
          data: { token: null, symbol: 'SOL', decimals: 9, units: '1', to: TO, usdc: null },
        },
        body: {
          kind: 'message',
          base64: solanaMessages.transfer({
            from: TO,
            to: TO,
            mint: null,
            decimals: 9,
            units: 1n,
          }),
          lastValidHeight: null,
        },
      }),
    );
    transactions.wake(USER);
    const read = () => transactions.get(USER, record.transactionId);
    return { read };
  };
  return { node, stop, signed, clock, start, ends };
}

describe('a transaction of a Solana account', () => {
  it('is done when it is final, not when a block has it', async () => {
    const { node, clock, start } = aRail();
    const { read } = await start();
    await clock.advance(1_000);
    node.status = { kind: 'landed', slot: 1, commitment: 'confirmed', failure: null };
    await clock.advance(5_000);
    expect(read()?.state).toBe('mined');
    node.status = { kind: 'landed', slot: 1, commitment: 'finalized', failure: null };
    await clock.advance(5_000);
    expect([read()?.state, read()?.transactionHash]).toEqual(['done', read()?.attempts[0]?.id]);
    expect(read()?.fee).toBe('5000');
  });

  it('is done without what it cost where the node does not show that', async () => {
    const { node, clock, start } = aRail();
    node.status = { kind: 'landed', slot: 1, commitment: 'finalized', failure: null };
    node.fee = null;
    const { read } = await start();
    await clock.advance(5_000);
    expect([read()?.state, read()?.fee]).toEqual(['done', undefined]);
  });

  it('sends the same bytes until its last valid height has passed in final blocks, and only then signs others', async () => {
    const { node, clock, start, signed } = aRail();
    node.answer = { kind: 'unknown', cause: 'the answer was lost' };
    const { read } = await start();
    await clock.advance(40_000);
    node.height += 160;
    await clock.advance(20_000);
    expect([new Set(node.sent).size, node.sent.length > 3, signed.length]).toEqual([1, true, 1]);
    node.height += 40;
    await clock.advance(10_000);
    expect([signed.length, read()?.dead]).toEqual([
      2,
      [
        {
          id: expect.any(String),
          proof: { kind: 'height_passed', lastValidHeight: 1_150, height: 1_168 },
        },
      ],
    ]);
  });

  it('is given up after so many attempts, each with its proof', async () => {
    const { node, clock, start, ends } = aRail();
    node.answer = { kind: 'refused', reason: 'insufficient lamports', isExpired: false };
    await start();
    for (let step = 0; step < 10; step += 1) {
      await clock.advance(10_000);
      node.height += 200;
    }
    expect(ends).toEqual([
      expect.objectContaining({
        state: 'failed',
        reason: 'insufficient lamports',
        dead: Array.from({ length: SOLANA_RAIL.attemptsMaximum }, () => expect.anything()),
      }),
    ]);
  });

  it('has failed when a final block says so', async () => {
    const { node, clock, start } = aRail();
    node.status = { kind: 'landed', slot: 1, commitment: 'finalized', failure: 'Custom 1' };
    const { read } = await start();
    await clock.advance(5_000);
    expect([read()?.state, read()?.reason]).toEqual(['failed', 'Custom 1']);
    // what it cost all the same
    expect(read()?.fee).toBe('5000');
  });

  it('is not signed while a stop keeps money in, and is when it is lifted', async () => {
    const { stop, clock, start, signed } = aRail();
    stop.reason = 'stopped';
    const { read } = await start();
    await clock.advance(30_000);
    expect([read()?.state, signed.length]).toEqual(['intended', 0]);
    stop.reason = null;
    await clock.advance(30_000);
    expect(signed.length).toBe(1);
  });
});

describe('on a local chain', () => {
  let node: SolanaNode;
  beforeAll(async () => {
    node = await startSolanaNode();
  });
  afterAll(() => node.close());

  it('moves USDC and SOL to a wallet that has neither', async () => {
    const vault = await vaultWith(await loadKeccak(), USER, `0x${'11'.repeat(32)}`);
    const wallet = vault.solanaAddressOf(USER);
    await node.give(wallet, { lamports: '1000000000', usdc: '25' });
    const calls = createSolanaCalls({ rpcUrl: node.url, metrics: createCountingMetrics() });
    const solana = createSolana(calls, createCountingMetrics());
    const rail = createSolanaRail({
      solana,
      vault,
      loadKeys: (userId) => vault.load(userId),
      assertMaySign: () => undefined,
    });
    for (const [mint, decimals, units] of [
      [USDC, 6, 10_500_000n],
      [null, 9, 5_000_000n],
    ] as const) {
      const base64 = solanaMessages.transfer({ from: wallet, to: TO, mint, decimals, units });
      // of a record the rail reads these alone
      const record = {
        userId: USER,
        body: { kind: 'message', base64, lastValidHeight: null },
        dead: [],
      };
      const prepared = await rail.prepare(record as unknown as TransactionRecord, {
        replacement: null,
        usedNonce: null,
      });
      if (prepared.kind !== 'ready') return expect.unreachable();
      const attempt = { ...prepared.sign(), signedAtMs: 0 };
      expect(await rail.send(attempt)).toEqual({ kind: 'accepted', handle: attempt.id });
      const landed = { attempts: [attempt], reason: null } as unknown as TransactionRecord;
      await expect
        .poll(() => rail.status(landed), { interval: 50 })
        .toEqual({
          kind: 'confirmed',
          // the base fee of a signature, and what the transfer pays to be preferred
          receipt: { transactionHash: attempt.id, fee: 6_600n },
        });
    }
    const [held] = await solana.tokenAccounts(TO);
    expect([held?.mint, held?.amount, await solana.lamports(TO)]).toEqual([
      USDC,
      10_500_000n,
      5_000_000n,
    ]);
    await calls.close();
  });
});
