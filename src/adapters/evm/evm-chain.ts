import { getAddress, isHex } from 'viem';
import type { RpcLog, RpcTransactionReceipt } from 'viem';
import { CHAIN } from '../../../config/limits/chain.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { EvmChain, EvmLog, EvmReceipt, Hex, LogQuery } from '../../ports/evm.ts';
import { readBalances, readShares } from './multicall.ts';
import type { Rpc, RpcOptions } from './rpc.ts';
import { createRpc } from './rpc.ts';

/** What the adapter is made of. */
export interface EvmChainOptions extends RpcOptions {
  /** Blocks in one question for events. */
  readonly logSpanBlocks?: number;
}

/** Reads one EVM chain through the JSON-RPC interface of a node. Source: web3.md sections 6 and 7. */
export function createEvmChain(options: EvmChainOptions): EvmChain {
  const rpc = createRpc(options);
  const spanBlocks = options.logSpanBlocks ?? CHAIN.logSpanBlocks;
  const call: EvmChain['call'] = (to, data) => rpc.ask((ask) => ask({ method: 'eth_call', params: [{ to: hex(to), data }, 'latest'] }));
  return {
    chainId: options.chainId,
    call,
    async head() {
      const block = await rpc.ask((ask) => ask({ method: 'eth_getBlockByNumber', params: ['latest', false] }));
      if (block === null || block.hash === null || block.number === null) throw unclear(options.chainId, 'it has no newest block');
      return { blockNumber: Number(block.number), atMs: Number(block.timestamp) * 1_000, hash: block.hash };
    },
    async hasCode(address) {
      return (await rpc.ask((ask) => ask({ method: 'eth_getCode', params: [hex(address), 'latest'] }))) !== '0x';
    },
    balances: (owner, tokens) => readBalances(call, owner, tokens),
    shares: (owner, contract, tokenIds) => readShares(call, { owner, contract, tokenIds }),
    async receipt(transactionHash) {
      const wire = await rpc.ask((ask) => ask({ method: 'eth_getTransactionReceipt', params: [transactionHash] }));
      if (wire === null) return null;
      const newest = Number(await rpc.ask((ask) => ask({ method: 'eth_blockNumber' })));
      return readReceipt(wire, newest);
    },
    logs: (query) => readLogs(rpc, query, { chainId: options.chainId, spanBlocks }),
  };
}

function readReceipt(wire: RpcTransactionReceipt, newest: number): EvmReceipt {
  const blockNumber = Number(wire.blockNumber);
  return {
    transactionHash: wire.transactionHash,
    succeeded: wire.status === '0x1',
    blockNumber,
    // Nodes behind one address need not be at the same block: never less than its own.
    confirmations: Math.max(1, newest - blockNumber + 1),
    logs: wire.logs.map(readLog),
  };
}

async function readLogs(rpc: Rpc, query: LogQuery, { chainId, spanBlocks }: { readonly chainId: number; readonly spanBlocks: number }): Promise<readonly EvmLog[]> {
  const { address, topics, fromBlock, toBlock } = query;
  if (Math.ceil((toBlock - fromBlock + 1) / spanBlocks) > CHAIN.logSpansMaximum) {
    throw new AppError('limit_reached', `events of ${toBlock - fromBlock + 1} blocks were asked for, more than ${CHAIN.logSpansMaximum * spanBlocks}`);
  }
  const found: EvmLog[] = [];
  for (let from = fromBlock; from <= toBlock; from += spanBlocks) {
    const to = Math.min(toBlock, from + spanBlocks - 1);
    const filter = { address: hex(address), topics: topics.map((topic) => (topic === null || typeof topic === 'string' ? topic : [...topic])), fromBlock: quantity(from), toBlock: quantity(to) };
    const logs = await rpc.ask((ask) => ask({ method: 'eth_getLogs', params: [filter] }));
    // An event taken back by a reorganisation did not happen.
    found.push(...logs.filter(({ removed }) => !removed).map(readLog));
    if (found.length > CHAIN.logsMaximum) throw unclear(chainId, `more than ${CHAIN.logsMaximum} events`);
  }
  return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}

function readLog({ address, topics, data, blockNumber, transactionHash, logIndex }: RpcLog): EvmLog {
  if (blockNumber === null || transactionHash === null || logIndex === null || !isHex(data)) throw new AppError('chain_unavailable', 'the chain told of an event outside of any block', { retryable: true });
  return { address: asId<Address>(getAddress(address)), topics, data, blockNumber: Number(blockNumber), transactionHash, logIndex: Number(logIndex) };
}

function quantity(block: number): Hex {
  return `0x${block.toString(16)}`;
}

function unclear(chainId: number, what: string): AppError {
  return new AppError('chain_unavailable', `chain ${chainId} answered what cannot be used: ${what}`, { retryable: true });
}

function hex(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}
