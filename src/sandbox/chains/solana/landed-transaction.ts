import type { TransactionMetadata } from 'litesvm';
import { getBase58Decoder, type ReadonlyUint8Array } from '@solana/kit';
import { readFee, type TransactionError } from './transaction-errors.ts';
import { isTokenProgram, readTokenData, uiTokenAmount } from './token-layout.ts';
import type { WireTransaction } from './wire-transaction.ts';

/** A balance of a token account before or after a transaction, in the network's JSON. */
interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: ReturnType<typeof uiTokenAmount>;
}

/** An instruction run by a program, in the network's JSON. */
export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** Base58. */
  readonly data: string;
  readonly stackHeight: number | null;
}

/** A transaction the chain has executed, successfully or not; plain JSON. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Epoch seconds. */
  readonly blockTime: number;
  /** The transaction as it came, base64. */
  readonly base64: string;
  readonly error: TransactionError | null;
  readonly feeLamports: number;
  /** Named in the message, then loaded from tables. */
  readonly accountKeys: readonly string[];
  readonly loaded: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly logs: readonly string[];
  readonly innerInstructions: readonly {
    readonly index: number;
    readonly instructions: readonly WireInstruction[];
  }[];
  readonly computeUnits: number;
  readonly returnData: {
    readonly programId: string;
    readonly data: readonly [string, 'base64'];
  } | null;
}

/** An account as the balances of a transaction describe it. */
export interface SeenAccount {
  readonly lamports: bigint;
  readonly programAddress: string;
  readonly data: ReadonlyUint8Array;
}

/** Balances of a transaction's accounts at one moment, in the order of its keys. */
export interface SeenBalances {
  readonly lamports: readonly number[];
  readonly tokens: readonly TokenBalance[];
}

/** Looks at the accounts of a transaction. */
export function seeBalances(
  keys: readonly string[],
  accountAt: (key: string) => SeenAccount | null,
): SeenBalances {
  const accounts = keys.map(accountAt);
  const tokens = accounts.flatMap((account, accountIndex): readonly TokenBalance[] => {
    if (account === null || !isTokenProgram(account.programAddress)) return [];
    const token = readTokenData(account.data);
    if (token?.kind !== 'account') return [];
    const mintAccount = accountAt(token.mint);
    const mint = mintAccount === null ? null : readTokenData(mintAccount.data);
    const decimals = mint?.kind === 'mint' ? mint.decimals : 0;
    return [
      {
        accountIndex,
        mint: token.mint,
        owner: token.owner,
        programId: account.programAddress,
        uiTokenAmount: uiTokenAmount(token.amount, decimals),
      },
    ];
  });
  return { lamports: accounts.map((account) => Number(account?.lamports ?? 0n)), tokens };
}

/** What the chain knows of an executed transaction beside what the machine says. */
export interface Landing {
  readonly wire: WireTransaction;
  readonly meta: TransactionMetadata;
  readonly error: TransactionError | null;
  readonly slot: number;
  readonly blockTime: number;
  readonly accountKeys: readonly string[];
  readonly loaded: LandedTransaction['loaded'];
  readonly before: SeenBalances;
  readonly after: SeenBalances;
}

/** Writes down an executed transaction. */
export function landedTransaction({
  wire,
  meta,
  error,
  slot,
  blockTime,
  accountKeys,
  loaded,
  before,
  after,
}: Landing): LandedTransaction {
  return {
    signature: wire.signatures[0] ?? '',
    slot,
    blockTime,
    error,
    accountKeys,
    loaded,
    base64: Buffer.from(wire.bytes).toString('base64'),
    feeLamports: readFee(meta),
    preBalances: before.lamports,
    postBalances: after.lamports,
    preTokenBalances: before.tokens,
    postTokenBalances: after.tokens,
    ...execution(meta),
  };
}

/** What the machine says of running a transaction, for good or on trial. */
export function execution(
  meta: TransactionMetadata,
): Pick<LandedTransaction, 'logs' | 'innerInstructions' | 'computeUnits' | 'returnData'> {
  return {
    logs: meta.logs(),
    innerInstructions: innerInstructions(meta),
    computeUnits: Number(meta.computeUnitsConsumed()),
    returnData: returnData(meta),
  };
}

function innerInstructions(meta: TransactionMetadata): LandedTransaction['innerInstructions'] {
  return meta.innerInstructions().flatMap((group, index) => {
    if (group.length === 0) return [];
    const instructions = group.map((inner): WireInstruction => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: base58(instruction.data()),
        stackHeight: inner.stackHeight(),
      };
    });
    return [{ index, instructions }];
  });
}

function returnData(meta: TransactionMetadata): LandedTransaction['returnData'] {
  const given = meta.returnData();
  return given.data().length === 0
    ? null
    : {
        programId: base58(given.programId()),
        data: [Buffer.from(given.data()).toString('base64'), 'base64'],
      };
}

function base58(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes);
}
