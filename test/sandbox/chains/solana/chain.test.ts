import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, getTransactionDecoder } from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../../src/adapters/clock/virtual-clock.ts';
import {
  openSolanaChain,
  type Executed,
  type SolanaChain,
} from '../../../../src/sandbox/chains/solana/chain.ts';
import { createSolanaFaucet, faucetGenesis } from '../../../../src/sandbox/chains/solana/faucet.ts';
import { associatedAddress } from '../../../../src/sandbox/chains/solana/associated-address.ts';
import { TOKEN_PROGRAM, USDC_MINT } from '../../../../src/sandbox/chains/solana/addresses.ts';
import { readTokenData } from '../../../../src/sandbox/chains/solana/token-layout.ts';
import { readWireTransaction } from '../../../../src/sandbox/chains/solana/wire-transaction.ts';

const START_MS = 1_800_000_000_000;
const SEED = 3;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-solana-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(clock: VirtualClock, where: string | null = null): SolanaChain {
  return openSolanaChain({ clock, seed: SEED, folder: where, genesis: faucetGenesis(SEED) });
}

function transfer(chain: SolanaChain, from: Keypair, blockhash: string, sol = 1): Executed {
  const transaction = new Transaction({
    feePayer: from.publicKey,
    blockhash,
    lastValidBlockHeight: 0,
  }).add(
    SystemProgram.transfer({
      fromPubkey: from.publicKey,
      toPubkey: Keypair.generate().publicKey,
      lamports: sol * 1_000_000_000,
    }),
  );
  transaction.sign(from);
  return chain.execute(readWireTransaction(new Uint8Array(transaction.serialize())));
}

function rich(chain: SolanaChain): Keypair {
  const keypair = Keypair.generate();
  createSolanaFaucet(chain, SEED).giveLamports(
    address(keypair.publicKey.toBase58()),
    10_000_000_000n,
  );
  return keypair;
}

describe('the chain’s calendar', () => {
  it('takes a blockhash for 150 blocks of 400 ms, and not for one more', async () => {
    const clock = createVirtualClock(START_MS);
    const chain = open(clock);
    const keypair = rich(chain);
    const { blockhash, lastValidBlockHeight } = chain.time.latestBlockhash('processed');
    await clock.advance(150 * 400);
    expect(chain.time.blockHeight()).toBe(lastValidBlockHeight);
    expect(transfer(chain, keypair, blockhash)).toMatchObject({
      kind: 'landed',
      transaction: { error: null },
    });
    await clock.advance(400);
    expect(transfer(chain, keypair, blockhash, 2)).toEqual({
      kind: 'dropped',
      error: 'BlockhashNotFound',
    });
  });

  it('gives older blockhashes to callers who want to be surer, with less time left', () => {
    const chain = open(createVirtualClock(START_MS));
    const heights = (['processed', 'confirmed', 'finalized'] as const).map(
      (commitment) =>
        chain.time.latestBlockhash(commitment).lastValidBlockHeight - chain.time.blockHeight(),
    );
    expect(heights).toEqual([150, 149, 118]);
    expect(chain.time.isAlive(chain.time.latestBlockhash('finalized').blockhash)).toBe(true);
  });

  it('goes on while the sandbox is off, so that what was signed before expires', async () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    const { blockhash } = first.time.latestBlockhash('processed');
    first.close();
    await clock.advance(30_000);
    expect(open(clock, folder).time.isAlive(blockhash)).toBe(true);
    await clock.advance(31_000);
    expect(open(clock, folder).time.isAlive(blockhash)).toBe(false);
  });

  it('does not go back when the wall clock was set back', async () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    await clock.advance(10_000);
    rich(first);
    first.close();
    const slot = first.time.slot();
    expect(open(createVirtualClock(START_MS), folder).time.slot()).toBe(slot);
  });
});

describe('the chain', () => {
  it('executes the same bytes once, however often and late they come', async () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    const keypair = rich(first);
    const transaction = new Transaction({
      feePayer: keypair.publicKey,
      blockhash: first.time.latestBlockhash('processed').blockhash,
      lastValidBlockHeight: 0,
    }).add(
      SystemProgram.transfer({
        fromPubkey: keypair.publicKey,
        toPubkey: Keypair.generate().publicKey,
        lamports: 1_000_000,
      }),
    );
    transaction.sign(keypair);
    const wire = readWireTransaction(new Uint8Array(transaction.serialize()));
    expect(first.execute(wire).kind).toBe('landed');
    expect(first.execute(wire)).toEqual({ kind: 'dropped', error: 'AlreadyProcessed' });
    first.close();
    expect(open(clock, folder).execute(wire)).toEqual({
      kind: 'dropped',
      error: 'AlreadyProcessed',
    });
  });

  it('tells a transaction confirmed only when a kill can no longer undo it, and final 32 slots later', async () => {
    const clock = createVirtualClock(START_MS);
    const chain = open(clock, folder);
    const gift = createSolanaFaucet(chain, SEED).giveLamports(
      address(Keypair.generate().publicKey.toBase58()),
      5_000_000n,
    );
    if (gift.kind !== 'landed') throw new Error('the gift was dropped');
    expect(chain.commitmentOf(gift.transaction)).toBe('processed');
    expect(open(clock, folder).transaction(gift.transaction.signature)).toBeNull();
    await clock.advance(400);
    expect(chain.commitmentOf(gift.transaction)).toBe('confirmed');
    expect(open(clock, folder).transaction(gift.transaction.signature)).toEqual(gift.transaction);
    await clock.advance(32 * 400);
    expect(chain.commitmentOf(gift.transaction)).toBe('finalized');
  });

  it('keeps what has landed at once where that is set, so that a kill undoes none of it', () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    const owner = address(Keypair.generate().publicKey.toBase58());
    createSolanaFaucet(first, SEED).giveLamports(owner, 5_000_000n);
    expect(open(clock, folder).account(owner)).toBeNull();
    first.keep();
    expect(open(clock, folder).account(owner)?.lamports).toBe(5_000_000n);
  });

  it('L9: goes on after a kill with the balances and transactions of the last save, programs and USDC included', async () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    const owner = address(Keypair.generate().publicKey.toBase58());
    createSolanaFaucet(first, SEED).giveUsdc(owner, 5_000_000n);
    await clock.advance(400);
    const second = open(clock, folder);
    createSolanaFaucet(second, SEED).giveUsdc(owner, 2_500_000n);
    expect(
      readTokenData(
        second.account(associatedAddress(owner, USDC_MINT, TOKEN_PROGRAM))?.data ??
          new Uint8Array(),
      ),
    ).toMatchObject({ kind: 'account', owner, amount: 7_500_000n });
    expect([...second.transactionsOf(owner)]).toHaveLength(2);
  });

  it('drops blocks for a fork, confirmed ones included, and goes on without them after the next start', async () => {
    const clock = createVirtualClock(START_MS);
    const faucetOf = (chain: SolanaChain) => createSolanaFaucet(chain, SEED);
    let forksAfterMs: number | null = null;
    const first = openSolanaChain({
      clock,
      seed: SEED,
      folder,
      genesis: faucetGenesis(SEED),
      forks: () => forksAfterMs,
    });
    const dropped: string[] = [];
    first.onDropped((signatures) => dropped.push(...signatures));
    const [kept, lost] = [Keypair.generate(), Keypair.generate()].map(({ publicKey }) =>
      address(publicKey.toBase58()),
    ) as [ReturnType<typeof address>, ReturnType<typeof address>];
    faucetOf(first).giveLamports(kept, 2_000_000n);
    await clock.advance(400);
    forksAfterMs = 1_000;
    const gift = faucetOf(first).giveLamports(lost, 2_000_000n);
    forksAfterMs = null;
    await clock.advance(900);
    if (gift.kind !== 'landed') throw new Error('the gift did not land');
    expect(first.commitmentOf(gift.transaction)).toBe('confirmed');
    await clock.advance(100);
    expect(dropped).toEqual([gift.transaction.signature]);
    for (const chain of [first, open(clock, folder)])
      expect([
        chain.account(lost),
        chain.transaction(gift.transaction.signature),
        chain.account(kept)?.lamports,
        [...chain.transactionsOf(kept)].length,
      ]).toEqual([null, null, 2_000_000n, 1]);
  });

  it('forgets a fork whose own blocks another one has dropped: what lands again stays', async () => {
    const clock = createVirtualClock(START_MS);
    let forksAfterMs: number | null = null;
    const chain = openSolanaChain({
      clock,
      seed: SEED,
      folder: null,
      genesis: faucetGenesis(SEED),
      forks: () => forksAfterMs,
    });
    const payer = rich(chain);
    const kept = address(Keypair.generate().publicKey.toBase58());
    await clock.advance(400);
    forksAfterMs = 1_000;
    rich(chain);
    await clock.advance(400);
    const { blockhash } = chain.time.latestBlockhash('confirmed');
    const doubled = transfer(chain, payer, blockhash);
    forksAfterMs = null;
    if (doubled.kind !== 'landed') throw new Error('the transfer did not land');
    await clock.advance(700);
    expect(chain.transaction(doubled.transaction.signature)).toBeNull();
    createSolanaFaucet(chain, SEED).giveLamports(kept, 2_000_000n);
    chain.execute(readWireTransaction(Buffer.from(doubled.transaction.base64, 'base64')));
    await clock.advance(1_000);
    expect(chain.transaction(doubled.transaction.signature)).not.toBeNull();
    expect(chain.account(kept)?.lamports).toBe(2_000_000n);
  });

  it('L9: takes transactions whose state was never saved as not happened, and a line cut short as nothing', async () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    rich(first);
    await clock.advance(400);
    const history = join(folder, 'transactions.jsonl');
    const [line = ''] = readFileSync(history, 'utf8').split('\n');
    appendFileSync(
      history,
      `${JSON.stringify({ ...JSON.parse(line), signature: 'later', slot: 10_000_000_000 })}\n{"signature":"cut sho`,
    );
    const second = open(clock, folder);
    expect(second.transactionCount()).toBe(1);
    expect(second.transaction('later')).toBeNull();
  });

  it('L9: takes a transaction of the slot in which it was saved last, published and not saved itself, as not happened', async () => {
    const clock = createVirtualClock(START_MS);
    const first = open(clock, folder);
    const saved = rich(first);
    await clock.advance(400);
    const state = readFileSync(join(folder, 'state.bin'));
    const lost = rich(first);
    await clock.advance(400);
    // The kill came when the line was written and before the state had taken the old one's place.
    writeFileSync(join(folder, 'state.bin'), state);
    const second = open(clock, folder);
    const reported = (keypair: Keypair) => [
      [...second.transactionsOf(keypair.publicKey.toBase58())].length,
      second.account(keypair.publicKey.toBase58())?.lamports ?? null,
    ];
    expect([reported(saved), reported(lost)]).toEqual([
      [1, 10_000_000_000n],
      [0, null],
    ]);
  });

  it('refuses a folder of another seed, and a state it cannot read', () => {
    const clock = createVirtualClock(START_MS);
    open(clock, folder).close();
    expect(() => openSolanaChain({ clock, seed: SEED + 1, folder, genesis: [] })).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
    writeFileSync(join(folder, 'state.bin'), 'nonsense');
    expect(() => open(clock, folder)).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
  });

  it('runs for one process where litesvm cannot give its state away, and says so to the next', () => {
    // a build before 1.5.0, which is what the lock has for some platforms
    vi.spyOn(LiteSVM.prototype, 'toBytes').mockImplementation(() => {
      throw new TypeError('this.inner.toBytes is not a function');
    });
    const clock = createVirtualClock(START_MS);
    const chain = open(clock, folder);
    const payer = rich(chain);
    expect(transfer(chain, payer, chain.time.latestBlockhash('confirmed').blockhash).kind).toBe(
      'landed',
    );
    chain.close();
    expect(() => open(clock, folder)).toThrow(/ended with its process.*PREDICTD_DATA/);
  });

  it('forgets what it only tried', () => {
    const chain = open(createVirtualClock(START_MS));
    const keypair = rich(chain);
    const before = chain.account(keypair.publicKey.toBase58())?.lamports;
    const transaction = new Transaction({
      feePayer: keypair.publicKey,
      blockhash: chain.time.latestBlockhash('processed').blockhash,
      lastValidBlockHeight: 0,
    }).add(
      SystemProgram.transfer({
        fromPubkey: keypair.publicKey,
        toPubkey: Keypair.generate().publicKey,
        lamports: 1_000_000,
      }),
    );
    const unsigned = new Uint8Array(transaction.serialize({ requireAllSignatures: false }));
    expect(Object.values(getTransactionDecoder().decode(unsigned).signatures)).toEqual([null]);
    expect(
      chain.simulate(readWireTransaction(unsigned), { signatures: true, blockhash: true }).error,
    ).toBe('SignatureFailure');
    expect(
      chain.simulate(readWireTransaction(unsigned), { signatures: false, blockhash: true }).error,
    ).toBeNull();
    expect(chain.execute(readWireTransaction(unsigned))).toEqual({
      kind: 'dropped',
      error: 'SignatureFailure',
    });
    expect(chain.account(keypair.publicKey.toBase58())?.lamports).toBe(before);
  });
});
