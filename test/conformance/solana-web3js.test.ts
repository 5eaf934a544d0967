import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSolanaNode, type SolanaNode } from '../support/fixtures/solana-node.ts';

const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const TOKEN_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

describe('the sandbox Solana under @solana/web3.js, unmodified', () => {
  let node: SolanaNode;
  let connection: Connection;
  let alice: Keypair;
  let bob: Keypair;
  beforeAll(async () => {
    node = await startSolanaNode();
    connection = new Connection(node.url, {
      wsEndpoint: node.socketUrl,
      commitment: 'confirmed',
      disableRetryOnRateLimit: true,
    });
    alice = Keypair.generate();
    bob = Keypair.generate();
    await node.give(alice.publicKey.toBase58(), { lamports: '2000000000', usdc: '100' });
  });
  afterAll(() => node.close());

  it('tells how far the chain is', async () => {
    expect(await connection.getVersion()).toEqual({ 'solana-core': '2.1.0', 'feature-set': 0 });
    const { absoluteSlot, slotIndex, slotsInEpoch, epoch } = await connection.getEpochInfo();
    expect(absoluteSlot).toBe(epoch * slotsInEpoch + slotIndex);
    expect(await connection.getSlot()).toBeGreaterThanOrEqual(absoluteSlot);
    expect(await connection.getGenesisHash()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    const latest = await connection.getLatestBlockhash();
    expect(latest.lastValidBlockHeight - (await connection.getBlockHeight())).toBeLessThanOrEqual(
      150,
    );
    expect((await connection.isBlockhashValid(latest.blockhash)).value).toBe(true);
    expect((await connection.isBlockhashValid(Keypair.generate().publicKey.toBase58())).value).toBe(
      false,
    );
  });

  it('moves lamports for the base fee and confirms over the socket', async () => {
    const before = await connection.getBalance(alice.publicKey);
    const transaction = new Transaction().add(
      SystemProgram.transfer({
        fromPubkey: alice.publicKey,
        toPubkey: bob.publicKey,
        lamports: 500_000_000,
      }),
    );
    expect(
      (
        await connection.getFeeForMessage(
          new Transaction({ feePayer: alice.publicKey, ...(await connection.getLatestBlockhash()) })
            .add(...transaction.instructions)
            .compileMessage(),
        )
      ).value,
    ).toBe(5_000);
    const signature = await sendAndConfirmTransaction(connection, transaction, [alice]);
    expect(before - (await connection.getBalance(alice.publicKey))).toBe(500_005_000);
    expect(await connection.getBalance(bob.publicKey)).toBe(500_000_000);
    expect((await connection.getSignatureStatus(signature)).value).toMatchObject({ err: null });
  });

  it('moves USDC with the real token program, and tells of it in accounts, supply and history', async () => {
    const from = getAssociatedTokenAddressSync(USDC, alice.publicKey);
    const to = getAssociatedTokenAddressSync(USDC, bob.publicKey);
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: alice.publicKey,
      recentBlockhash: blockhash,
      instructions: [
        createAssociatedTokenAccountIdempotentInstruction(alice.publicKey, to, bob.publicKey, USDC),
        createTransferCheckedInstruction(from, USDC, to, alice.publicKey, 2_500_000n, 6),
      ],
    });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([alice]);
    const simulated = await connection.simulateTransaction(transaction, { sigVerify: true });
    expect(simulated.value.err).toBeNull();
    expect(simulated.value.unitsConsumed).toBeGreaterThan(1_000);
    const signature = await connection.sendTransaction(transaction);
    expect(
      (
        await connection.confirmTransaction(
          { signature, blockhash, lastValidBlockHeight },
          'confirmed',
        )
      ).value.err,
    ).toBeNull();

    expect((await getMint(connection, USDC)).decimals).toBe(6);
    expect((await getAccount(connection, to)).amount).toBe(2_500_000n);
    expect((await connection.getTokenAccountBalance(from)).value.uiAmountString).toBe('97.5');
    expect((await connection.getTokenSupply(USDC)).value.amount).toBe('100000000');
    const parsed = await connection.getParsedTokenAccountsByOwner(bob.publicKey, {
      programId: TOKEN_PROGRAM,
    });
    expect(parsed.value.map(({ account }) => account.data.parsed.info)).toEqual([
      {
        isNative: false,
        mint: USDC.toBase58(),
        owner: bob.publicKey.toBase58(),
        state: 'initialized',
        tokenAmount: { amount: '2500000', decimals: 6, uiAmount: 2.5, uiAmountString: '2.5' },
      },
    ]);
    expect(
      (
        await connection.getTokenAccountsByOwner(bob.publicKey, { mint: USDC })
      ).value[0]?.pubkey.equals(to),
    ).toBe(true);

    const landed = await connection.getTransaction(signature, {
      maxSupportedTransactionVersion: 0,
      commitment: 'confirmed',
    });
    expect(
      landed?.meta?.postTokenBalances
        ?.map(({ owner, uiTokenAmount }) => [owner, uiTokenAmount.amount])
        .sort(),
    ).toEqual(
      [
        [alice.publicKey.toBase58(), '97500000'],
        [bob.publicKey.toBase58(), '2500000'],
      ].sort(),
    );
    expect(landed?.meta?.fee).toBe(5_000);
    expect(
      (
        await connection.getParsedTransaction(signature, {
          maxSupportedTransactionVersion: 0,
          commitment: 'confirmed',
        })
      )?.transaction.message.accountKeys[0],
    ).toMatchObject({ signer: true, writable: true });
    expect(
      (await connection.getSignaturesForAddress(to, {}, 'confirmed')).map((each) => each.signature),
    ).toEqual([signature]);
    await expect(
      connection.getTransaction(signature, { commitment: 'confirmed' } as never),
    ).rejects.toThrow('maxSupportedTransactionVersion');
  });

  it('becomes final', async () => {
    const signature = await connection.requestAirdrop(bob.publicKey, 1_000_000);
    await connection.confirmTransaction(
      { signature, ...(await connection.getLatestBlockhash()) },
      'finalized',
    );
    expect((await connection.getSignatureStatus(signature)).value).toMatchObject({
      confirmationStatus: 'finalized',
      confirmations: null,
    });
  });

  it('refuses a blockhash it never gave, an old transaction, a forged signature and an empty purse, as a node does', async () => {
    const stranger = signedTransfer(alice, Keypair.generate().publicKey.toBase58(), 1_000_000);
    await expect(connection.sendRawTransaction(stranger.serialize())).rejects.toMatchObject({
      message: expect.stringContaining('Blockhash not found'),
    });

    const { blockhash } = await connection.getLatestBlockhash();
    const once = signedTransfer(alice, blockhash, 1_000_000).serialize();
    const signature = await connection.sendRawTransaction(once);
    await expect(connection.sendRawTransaction(once)).rejects.toMatchObject({
      message: expect.stringContaining('This transaction has already been processed'),
    });
    expect(await connection.sendRawTransaction(once, { skipPreflight: true })).toBe(signature);

    const forged = signedTransfer(alice, blockhash, 2_000_000).serialize();
    forged[9] = (forged[9] ?? 0) ^ 1;
    await expect(connection.sendRawTransaction(forged)).rejects.toMatchObject({
      message: expect.stringContaining('signature verification failure'),
    });

    const poor = signedTransfer(Keypair.generate(), blockhash, 1_000_000).serialize();
    await expect(connection.sendRawTransaction(poor)).rejects.toMatchObject({
      message: expect.stringContaining('no record of a prior credit'),
    });

    const greedy = signedTransfer(alice, blockhash, 900_000_000_000).serialize();
    await expect(connection.sendRawTransaction(greedy)).rejects.toMatchObject({
      message: expect.stringContaining('Error processing Instruction 0: custom program error: 0x1'),
    });
  });

  it('takes the fee of a transaction that fails in its block, and tells its error', async () => {
    const { blockhash } = await connection.getLatestBlockhash();
    const before = await connection.getBalance(alice.publicKey);
    const signature = await connection.sendRawTransaction(
      signedTransfer(alice, blockhash, 900_000_000_000).serialize(),
      { skipPreflight: true },
    );
    expect(before - (await connection.getBalance(alice.publicKey))).toBe(5_000);
    expect((await connection.getSignatureStatus(signature)).value?.err).toEqual({
      InstructionError: [0, { Custom: 1 }],
    });
  });

  function signedTransfer(from: Keypair, recentBlockhash: string, lamports: number): Transaction {
    const transaction = new Transaction({ feePayer: from.publicKey, recentBlockhash } as never).add(
      SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: bob.publicKey, lamports }),
    );
    transaction.sign(from);
    return transaction;
  }
});
