import { z } from 'zod';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { damagedFile, jsonIn } from '../../storage/append-file.ts';

/**
 * What of the node's format grows or changes by entries; everything else is small and written each
 * time.
 */
const stateSchema = z.looseObject({
  accounts: z.record(z.string(), z.unknown()),
  blocks: z.array(
    z.looseObject({
      header: z.looseObject({
        number: z.string(),
        parentHash: z.string(),
        stateRoot: z.string(),
        transactionsRoot: z.string(),
        timestamp: z.string(),
      }),
    }),
  ),
  transactions: z.array(
    z.looseObject({
      info: z.looseObject({ transaction_hash: z.string() }),
      block_hash: z.string(),
    }),
  ),
});

/** The state of a chain in the node's own format. */
export type NodeState = z.infer<typeof stateSchema>;

/** Reads the text of a state. Errors: `store_corrupt`. */
export function parseState(file: string, text: string): NodeState {
  const read = stateSchema.safeParse(jsonIn(file, text));
  if (!read.success) throw damagedFile(file, read.error);
  return read.data;
}

/**
 * Returns the state without what is not asked for any more: blocks below the newest
 * `LOCAL_CHAIN.blocksKept` and their transactions, the traces of all, and storage that is zero, as
 * storage is that was never written.
 */
export function prunedState(state: NodeState): NodeState {
  const newest = Math.max(...state.blocks.map(({ header }) => Number(header.number)));
  const first = newest - LOCAL_CHAIN.blocksKept + 1;
  return {
    ...state,
    accounts: Object.fromEntries(
      Object.entries(state.accounts).map(([address, account]) => [address, withoutZeros(account)]),
    ),
    blocks: state.blocks.filter(({ header }) => Number(header.number) >= first),
    transactions: state.transactions
      .filter(({ block_number: number }) => typeof number !== 'number' || number >= first)
      .map((transaction) => ({ ...transaction, info: { ...transaction.info, traces: [] } })),
  };
}

const ZERO = /^0x0*$/;

function withoutZeros(account: unknown): unknown {
  if (typeof account !== 'object' || account === null || !('storage' in account)) return account;
  const { storage } = account;
  if (typeof storage !== 'object' || storage === null) return account;
  return {
    ...account,
    storage: Object.fromEntries(
      Object.entries(storage).filter(([, value]) => !ZERO.test(String(value))),
    ),
  };
}
