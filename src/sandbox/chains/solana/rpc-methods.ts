import { accountMethods } from './rpc-accounts.ts';
import { blockMethods } from './rpc-blocks.ts';
import type { RpcMethod } from './rpc-method.ts';
import { transactionMethods } from './rpc-transactions.ts';

/** Every method of the node by its name on the wire. */
export const RPC_METHODS: Readonly<Record<string, RpcMethod>> = {
  ...blockMethods,
  ...accountMethods,
  ...transactionMethods,
};
