import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import { SOLANA_TRANSFER } from '../../../config/limits/solana.ts';
import type { SolanaMessages, SolanaTransfer } from '../../ports/solana.ts';

/** The token program and the one of associated accounts (web3.md section 8.2). */
const TOKEN_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const ASSOCIATED_TOKEN_PROGRAM = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** Of the token program: move an amount, the token's decimals checked. */
const TRANSFER_CHECKED = 12;
/** Of the program of associated accounts: make the account unless it is there. */
const CREATE_IDEMPOTENT = 1;
/** Takes the place of the blockhash: 32 zero bytes. */
const NO_BLOCKHASH = PublicKey.default.toBase58();

/** Makes messages of transfers. */
export const solanaMessages: SolanaMessages = {
  isWallet(text) {
    try {
      const key = new PublicKey(text);
      // another writing of the same bytes is the sender's mistake
      return PublicKey.isOnCurve(key.toBytes()) && key.toBase58() === text;
    } catch {
      return false;
    }
  },
  transfer(transfer) {
    const message = new TransactionMessage({
      payerKey: new PublicKey(transfer.from),
      recentBlockhash: NO_BLOCKHASH,
      instructions: [
        ComputeBudgetProgram.setComputeUnitLimit({ units: SOLANA_TRANSFER.computeUnitsMaximum }),
        ComputeBudgetProgram.setComputeUnitPrice({
          microLamports: SOLANA_TRANSFER.microLamportsPerUnit,
        }),
        ...(transfer.mint === null
          ? [coinTransfer(transfer)]
          : tokenTransfer(transfer, new PublicKey(transfer.mint))),
      ],
    }).compileToV0Message();
    return Buffer.from(message.serialize()).toString('base64');
  },
};

function coinTransfer({ from, to, units }: SolanaTransfer): TransactionInstruction {
  return SystemProgram.transfer({
    fromPubkey: new PublicKey(from),
    toPubkey: new PublicKey(to),
    lamports: units,
  });
}

function tokenTransfer(
  { from, to, units, decimals }: SolanaTransfer,
  mint: PublicKey,
): readonly TransactionInstruction[] {
  const [owner, recipient] = [new PublicKey(from), new PublicKey(to)];
  const [source, destination] = [accountOf(owner, mint), accountOf(recipient, mint)];
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED, 0);
  data.writeBigUInt64LE(units, 1);
  data.writeUInt8(decimals, 9);
  return [
    new TransactionInstruction({
      programId: ASSOCIATED_TOKEN_PROGRAM,
      data: Buffer.of(CREATE_IDEMPOTENT),
      keys: [
        { pubkey: owner, isSigner: true, isWritable: true },
        { pubkey: destination, isSigner: false, isWritable: true },
        { pubkey: recipient, isSigner: false, isWritable: false },
        { pubkey: mint, isSigner: false, isWritable: false },
        { pubkey: SystemProgram.programId, isSigner: false, isWritable: false },
        { pubkey: TOKEN_PROGRAM, isSigner: false, isWritable: false },
      ],
    }),
    new TransactionInstruction({
      programId: TOKEN_PROGRAM,
      data,
      keys: [
        { pubkey: source, isSigner: false, isWritable: true },
        { pubkey: mint, isSigner: false, isWritable: false },
        { pubkey: destination, isSigner: false, isWritable: true },
        { pubkey: owner, isSigner: true, isWritable: false },
      ],
    }),
  ];
}

/** The one account of a token that belongs to an owner by rule. */
function accountOf(owner: PublicKey, mint: PublicKey): PublicKey {
  const [address] = PublicKey.findProgramAddressSync(
    [owner.toBytes(), TOKEN_PROGRAM.toBytes(), mint.toBytes()],
    ASSOCIATED_TOKEN_PROGRAM,
  );
  return address;
}
