import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Solana } from '../../src/ports/solana.ts';

/** A network a suite may spend test money on. */
export interface SolanaFixture {
  readonly solana: Solana;
  give(
    address: string,
    gift: { readonly lamports?: string; readonly usdc?: string },
  ): Promise<unknown>;
  /** Has the next transaction get lost between the node and the blocks. */
  loseNext(): void;
}

const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');

/** What every implementation of the Solana port keeps to. */
export function solanaContract(name: string, open: () => Promise<SolanaFixture>): void {
  describe(`the Solana port over ${name}`, () => {
    let fixture: SolanaFixture;
    const alice = Keypair.generate();
    const bob = Keypair.generate();
    beforeAll(async () => {
      fixture = await open();
      await fixture.give(alice.publicKey.toBase58(), { lamports: '2000000000', usdc: '100' });
    });

    async function signed(
      ...instructions: readonly TransactionInstruction[]
    ): Promise<VersionedTransaction> {
      const { blockhash } = await fixture.solana.latestBlockhash();
      const transaction = new VersionedTransaction(
        new TransactionMessage({
          payerKey: alice.publicKey,
          recentBlockhash: blockhash,
          instructions: [...instructions],
        }).compileToV0Message(),
      );
      transaction.sign([alice]);
      return transaction;
    }

    it('reads lamports and token accounts, and nothing of an account that is not there', async () => {
      expect(await fixture.solana.lamports(alice.publicKey.toBase58())).toBe(2_000_000_000n);
      expect(await fixture.solana.tokenAccounts(alice.publicKey.toBase58())).toEqual([
        {
          account: getAssociatedTokenAddressSync(USDC, alice.publicKey).toBase58(),
          mint: USDC.toBase58(),
          amount: 100_000_000n,
          decimals: 6,
        },
      ]);
      const unused = Keypair.generate().publicKey.toBase58();
      expect([
        await fixture.solana.lamports(unused),
        await fixture.solana.tokenAccounts(unused),
      ]).toEqual([0n, []]);
    });

    it('knows the decimals of a token, and that another address is not one', async () => {
      expect(await fixture.solana.tokenDecimals(USDC.toBase58())).toBe(6);
      expect(await fixture.solana.tokenDecimals(alice.publicKey.toBase58())).toBeNull();
      expect(
        await fixture.solana.tokenDecimals(
          getAssociatedTokenAddressSync(USDC, alice.publicKey).toBase58(),
        ),
      ).toBeNull();
    });

    it('refuses text that is no address', async () => {
      await expect(
        fixture.solana.lamports('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'),
      ).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it('lands a signed transaction once, however often its bytes are sent', async () => {
      const to = getAssociatedTokenAddressSync(USDC, bob.publicKey);
      const transaction = await signed(
        createAssociatedTokenAccountIdempotentInstruction(alice.publicKey, to, bob.publicKey, USDC),
        createTransferCheckedInstruction(
          getAssociatedTokenAddressSync(USDC, alice.publicKey),
          USDC,
          to,
          alice.publicKey,
          2_500_000n,
          6,
        ),
      );
      const bytes = transaction.serialize();
      expect([await fixture.solana.send(bytes), await fixture.solana.send(bytes)]).toEqual([
        { kind: 'accepted' },
        { kind: 'accepted' },
      ]);
      expect(
        (await fixture.solana.tokenAccounts(bob.publicKey.toBase58())).map(({ amount }) => amount),
      ).toEqual([2_500_000n]);
      const signature = encode(transaction);
      expect(await fixture.solana.status(signature)).toMatchObject({
        kind: 'landed',
        failure: null,
      });
    });

    it('tells a refusal from a blockhash that is too old', async () => {
      const tooMuch = await signed(
        SystemProgram.transfer({
          fromPubkey: alice.publicKey,
          toPubkey: bob.publicKey,
          lamports: 9_000_000_000_000,
        }),
      );
      expect(await fixture.solana.send(tooMuch.serialize())).toMatchObject({
        kind: 'refused',
        isExpired: false,
      });
      const stale = new VersionedTransaction(
        new TransactionMessage({
          payerKey: alice.publicKey,
          recentBlockhash: Keypair.generate().publicKey.toBase58(),
          instructions: [
            SystemProgram.transfer({
              fromPubkey: alice.publicKey,
              toPubkey: bob.publicKey,
              lamports: 1,
            }),
          ],
        }).compileToV0Message(),
      );
      stale.sign([alice]);
      expect(await fixture.solana.send(stale.serialize())).toMatchObject({
        kind: 'refused',
        isExpired: true,
      });
    });

    it('finds no trace of a transaction that got lost, and lands the same bytes later', async () => {
      const transaction = await signed(
        SystemProgram.transfer({
          fromPubkey: alice.publicKey,
          toPubkey: bob.publicKey,
          lamports: 1_000_000,
        }),
      );
      fixture.loseNext();
      expect(await fixture.solana.send(transaction.serialize())).toEqual({ kind: 'accepted' });
      expect(await fixture.solana.status(encode(transaction))).toEqual({ kind: 'absent' });
      const before = await fixture.solana.lamports(bob.publicKey.toBase58());
      await fixture.solana.send(transaction.serialize());
      expect((await fixture.solana.lamports(bob.publicKey.toBase58())) - before).toBe(1_000_000n);
      expect(await fixture.solana.blockHeight()).toBeLessThan(
        (await fixture.solana.latestBlockhash()).lastValidBlockHeight,
      );
    });
  });
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A transaction's signature as text. */
function encode({ signatures: [signature] }: VersionedTransaction): string {
  let rest = BigInt(`0x${Buffer.from(signature ?? []).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${BASE58[Number(rest % 58n)]}${text}`;
  return text;
}
