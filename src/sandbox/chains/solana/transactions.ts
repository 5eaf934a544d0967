import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Address,
  type Blockhash,
  type Instruction,
  type SignatureBytes,
} from '@solana/kit';
import { MEMO_PROGRAM } from './addresses.ts';
import type { Executed, SolanaChain } from './chain.ts';
import type { LandedTransaction } from './landed-transaction.ts';
import { readWireTransaction } from './wire-transaction.ts';
import type { SolanaKey } from './keys.ts';

/** What a transaction is made of. */
export interface Draft {
  readonly feePayer: Address;
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
  /** Who signs now, where asked to; other signatures stay open. */
  readonly signers: readonly SolanaKey[];
}

/** Compiles a transaction of version 0 and signs it with the keys given. */
export function transactionBytes({
  feePayer,
  blockhash,
  instructions,
  signers,
}: Draft): Uint8Array {
  const compiled = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(feePayer, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        // The chain's own hash; the height only matters to who waits for it.
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        message,
      ),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  );
  const signatures: Record<Address, SignatureBytes | null> = { ...compiled.signatures };
  for (const key of signers)
    if (key.address in signatures)
      signatures[key.address] = key.sign(new Uint8Array(compiled.messageBytes));
  return new Uint8Array(getTransactionEncoder().encode({ ...compiled, signatures }));
}

/** Executes a transaction of the sandbox's own keys, the first of which pays. */
export function executeAs(
  chain: SolanaChain,
  signers: readonly [SolanaKey, ...SolanaKey[]],
  instructions: readonly Instruction[],
): Executed {
  return chain.execute(
    readWireTransaction(
      transactionBytes({
        feePayer: signers[0].address,
        blockhash: chain.time.latestBlockhash('processed').blockhash,
        instructions,
        signers,
      }),
    ),
  );
}

/** Returns the notes in a landed transaction. */
export function memosOf({ base64 }: LandedTransaction): readonly string[] {
  const { message } = readWireTransaction(Buffer.from(base64, 'base64'));
  return message.instructions
    .filter(
      ({ programAddressIndex }) => message.staticAccounts[programAddressIndex] === MEMO_PROGRAM,
    )
    .map(({ data }) => Buffer.from(data ?? []).toString('utf8'));
}

/**
 * Returns by how much a transaction changed what a wallet has of a token, in its smallest units.
 */
export function tokenChange(
  { preTokenBalances, postTokenBalances }: LandedTransaction,
  owner: string,
  mint: string,
): number {
  const sum = (balances: LandedTransaction['preTokenBalances']): number =>
    balances
      .filter((balance) => balance.owner === owner && balance.mint === mint)
      .reduce((total, { uiTokenAmount }) => total + Number(uiTokenAmount.amount), 0);
  return sum(postTokenBalances) - sum(preTokenBalances);
}
