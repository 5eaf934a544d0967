import { getBase58Decoder } from '@solana/kit';
import type { LandedTransaction, WireInstruction } from './landed-transaction.ts';
import { RpcFailure } from './rpc-failure.ts';
import { readWireTransaction, type WireMessage } from './wire-transaction.ts';

/** How a transaction shall be written. */
export type TransactionEncoding = 'json' | 'jsonParsed' | 'base64' | 'base58';

/**
 * A landed transaction in the network's JSON. `jsonParsed` names keys and programs; instructions
 * stay in the form a node uses for programs it cannot read. Throws an RpcFailure (-32015) for a
 * version the caller does not say it can read.
 */
export function transactionView(
  transaction: LandedTransaction,
  encoding: TransactionEncoding,
  newestVersion: number | null,
): unknown {
  const bytes = new Uint8Array(Buffer.from(transaction.base64, 'base64'));
  const { message, signatures } = readWireTransaction(bytes);
  if (message.version === 0 && newestVersion === null) {
    throw new RpcFailure(
      -32015,
      'Transaction version (0) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  }
  const inner = transaction.innerInstructions.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((each) => instructionView(each, transaction, encoding)),
  }));
  return {
    slot: transaction.slot,
    blockTime: transaction.blockTime,
    transaction:
      encoding === 'base64'
        ? [transaction.base64, 'base64']
        : encoding === 'base58'
          ? [getBase58Decoder().decode(bytes), 'base58']
          : { signatures, message: messageView(message, transaction, encoding) },
    meta: metaView(transaction, inner),
    ...(newestVersion === null ? {} : { version: message.version }),
  };
}

function metaView(transaction: LandedTransaction, inner: unknown): unknown {
  const {
    error,
    feeLamports: fee,
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
    logs,
    loaded,
    returnData,
    computeUnits,
  } = transaction;
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee,
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
    innerInstructions: inner,
    logMessages: logs,
    rewards: [],
    loadedAddresses: loaded,
    computeUnitsConsumed: computeUnits,
    ...(returnData === null ? {} : { returnData }),
  };
}

function messageView(
  message: WireMessage,
  transaction: LandedTransaction,
  encoding: TransactionEncoding,
): unknown {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } =
    message.header;
  const instructions = message.instructions.map(({ programAddressIndex, accountIndices, data }) =>
    instructionView(
      {
        programIdIndex: programAddressIndex,
        accounts: [...(accountIndices ?? [])],
        data: getBase58Decoder().decode(data ?? new Uint8Array()),
        stackHeight: null,
      },
      transaction,
      encoding,
    ),
  );
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
  const addressTableLookups = lookups.map(
    ({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
      accountKey: lookupTableAddress,
      writableIndexes: [...writableIndexes],
      readonlyIndexes: [...readonlyIndexes],
    }),
  );
  const recentBlockhash = message.lifetimeToken;
  const versioned = message.version === 0 ? { addressTableLookups } : {};
  if (encoding === 'json') {
    const header = {
      numRequiredSignatures: numSignerAccounts,
      numReadonlySignedAccounts: numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: numReadonlyNonSignerAccounts,
    };
    return {
      header,
      accountKeys: message.staticAccounts,
      recentBlockhash,
      instructions,
      ...versioned,
    };
  }
  const named = message.staticAccounts.length;
  const accountKeys = transaction.accountKeys.map((pubkey, index) => ({
    pubkey,
    signer: index < numSignerAccounts,
    writable:
      index < numSignerAccounts
        ? index < numSignerAccounts - numReadonlySignerAccounts
        : index < named
          ? index < named - numReadonlyNonSignerAccounts
          : index < named + transaction.loaded.writable.length,
    source: index < named ? 'transaction' : 'lookupTable',
  }));
  return { accountKeys, recentBlockhash, instructions, ...versioned };
}

function instructionView(
  instruction: WireInstruction,
  { accountKeys }: LandedTransaction,
  encoding: TransactionEncoding,
): unknown {
  if (encoding !== 'jsonParsed') return instruction;
  const { programIdIndex, accounts, data, stackHeight } = instruction;
  return {
    programId: accountKeys[programIdIndex],
    accounts: accounts.map((index) => accountKeys[index]),
    data,
    stackHeight,
  };
}
