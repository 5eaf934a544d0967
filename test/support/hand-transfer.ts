import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { SolanaChain } from '../../src/sandbox/chains/solana/chain.ts';
import { readWireTransaction } from '../../src/sandbox/chains/solana/wire-transaction.ts';

const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const TOKEN = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

/** A user who knows of no service. */
export const STRANGER = Keypair.fromSeed(new Uint8Array(32).fill(77));

/** A transfer that a user makes with a key in their own hands. */
export interface HandTransfer {
  readonly from: PublicKey;
  readonly to: PublicKey;
  readonly mint: string;
  /** Of an outcome, or of USDC. */
  readonly isOutcome: boolean;
  readonly micros: number;
  sign(message: Uint8Array): Uint8Array;
}

/** Carries it out. Returns its signature, base58 of the chain's own writing. */
export function transferByHand(
  chain: SolanaChain,
  { from, to, mint, isOutcome, micros, sign }: HandTransfer,
): string {
  const program = isOutcome ? TOKEN_2022 : TOKEN;
  const token = new PublicKey(mint);
  const accountOf = (owner: PublicKey): PublicKey =>
    PublicKey.findProgramAddressSync(
      [owner.toBytes(), program.toBytes(), token.toBytes()],
      ASSOCIATED,
    )[0];
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0); // TransferChecked
  data.writeBigUInt64LE(BigInt(micros), 1);
  data.writeUInt8(6, 9);
  const key = (pubkey: PublicKey, isWritable = false, isSigner = false) => ({
    pubkey,
    isWritable,
    isSigner,
  });
  const transaction = new VersionedTransaction(
    new TransactionMessage({
      payerKey: from,
      recentBlockhash: chain.time.latestBlockhash('confirmed').blockhash,
      instructions: [
        new TransactionInstruction({
          programId: ASSOCIATED,
          data: Buffer.from([1]), // CreateIdempotent
          keys: [
            key(from, true, true),
            key(accountOf(to), true),
            key(to),
            key(token),
            key(SystemProgram.programId),
            key(program),
          ],
        }),
        new TransactionInstruction({
          programId: program,
          data,
          keys: [
            key(accountOf(from), true),
            key(token),
            key(accountOf(to), true),
            key(from, false, true),
          ],
        }),
      ],
    }).compileToV0Message(),
  );
  transaction.addSignature(from, sign(transaction.message.serialize()));
  const executed = chain.execute(readWireTransaction(transaction.serialize()));
  if (executed.kind !== 'landed' || executed.transaction.error !== null)
    throw new Error(`a transfer by hand: ${JSON.stringify(executed)}`);
  return executed.transaction.signature;
}
