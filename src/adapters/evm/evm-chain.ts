import { keccak256 } from 'viem';
import { CHAIN } from '../../../config/limits/chain.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { EvmChain, EvmLog, Hex, LogQuery } from '../../ports/evm.ts';
import { readBalances, readShares } from './multicall.ts';
import { readEvents, readReceipt, type PlacedReceipt } from './parse.ts';
import { createRpc, type Rpc, type RpcOptions } from './rpc.ts';
import { blockSchema, quantitySchema } from './schema.ts';

/**
 * Reads one EVM chain through the JSON-RPC interface of a node. Source: web3.md sections 6 and 7.
 */
export function createEvmChain(
  options: RpcOptions & {
    /** Blocks in one question for events. */
    readonly logSpanBlocks?: number;
  },
): EvmChain {
  const rpc = createRpc(options);
  const spanBlocks = options.logSpanBlocks ?? CHAIN.logSpanBlocks;
  const call: EvmChain['call'] = (to, data) =>
    rpc.ask((ask) => ask({ method: 'eth_call', params: [{ to: hex(to), data }, 'latest'] }));
  const codeAt = (address: Address): Promise<Hex> =>
    rpc.ask((ask) => ask({ method: 'eth_getCode', params: [hex(address), 'latest'] }));
  async function blockAt(blockNumber: number): Promise<{ readonly hash: Hex } | null> {
    const block = await rpc.ask((ask) =>
      ask({ method: 'eth_getBlockByNumber', params: [quantity(blockNumber), false] }),
    );
    const read = blockSchema.nullable().safeParse(block);
    if (!read.success) throw unclear(options.chainId, `block ${blockNumber}`);
    return read.data;
  }

  /**
   * What lies deep is to be final: a node may show a receipt of a block that was taken back, and
   * another one the blocks in its place.
   */
  async function isInChain({
    blockNumber,
    blockHash,
    confirmations,
  }: PlacedReceipt): Promise<boolean> {
    return confirmations === 1 || (await blockAt(blockNumber))?.hash === blockHash;
  }

  return {
    chainId: options.chainId,
    call,
    async head() {
      const block = await rpc.ask((ask) =>
        ask({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
      );
      const read = blockSchema.safeParse(block);
      if (!read.success) throw unclear(options.chainId, 'it has no newest block');
      const atMs = read.data.timestamp * 1_000;
      options.metrics.gauge('chain_head_age_seconds', (Date.now() - atMs) / 1_000, {
        chain: String(options.chainId),
      });
      return {
        blockNumber: read.data.number,
        atMs,
        hash: read.data.hash,
      };
    },
    hasCode: async (address) => (await codeAt(address)) !== '0x',
    async codeHash(address) {
      const code = await codeAt(address);
      return code === '0x' ? null : keccak256(code);
    },
    balances: (owner, tokens) => readBalances(call, owner, tokens),
    shares: (owner, contract, tokenIds) => readShares(call, { owner, contract, tokenIds }),
    async receipt(transactionHash) {
      const wire = await rpc.ask((ask) =>
        ask({ method: 'eth_getTransactionReceipt', params: [transactionHash] }),
      );
      if (wire === null) return null;
      const newest = quantitySchema.safeParse(
        await rpc.ask((ask) => ask({ method: 'eth_blockNumber' })),
      );
      const receipt = newest.success
        ? readReceipt(wire, { asked: transactionHash, newest: newest.data })
        : 'unreadable';
      if (receipt === 'unreadable')
        throw unclear(options.chainId, `the receipt of ${transactionHash}`);
      return receipt === null || (await isInChain(receipt)) ? receipt : null;
    },
    hasBlock: async (blockNumber) => (await blockAt(blockNumber)) !== null,
    logs: (query) => readLogs(rpc, query, { chainId: options.chainId, spanBlocks }),
  };
}

async function readLogs(
  rpc: Rpc,
  query: LogQuery,
  { chainId, spanBlocks }: { readonly chainId: number; readonly spanBlocks: number },
): Promise<readonly EvmLog[]> {
  const { address, topics, fromBlock, toBlock } = query;
  if (Math.ceil((toBlock - fromBlock + 1) / spanBlocks) > CHAIN.logSpansMaximum) {
    throw new AppError(
      'limit_reached',
      `events of ${toBlock - fromBlock + 1} blocks were asked for, more than ${CHAIN.logSpansMaximum * spanBlocks}`,
    );
  }
  const found: EvmLog[] = [];
  for (let from = fromBlock; from <= toBlock; from += spanBlocks) {
    const to = Math.min(toBlock, from + spanBlocks - 1);
    const filter = {
      ...(address === null ? {} : { address: hex(address) }),
      topics: topics.map((topic) =>
        topic === null || typeof topic === 'string' ? topic : [...topic],
      ),
      fromBlock: quantity(from),
      toBlock: quantity(to),
    };
    const logs = readEvents(
      await rpc.ask((ask) => ask({ method: 'eth_getLogs', params: [filter] })),
    );
    if (logs === 'unreadable') throw unclear(chainId, `events of the blocks ${from} to ${to}`);
    found.push(...logs);
    if (found.length > CHAIN.logsMaximum)
      throw unclear(chainId, `more than ${CHAIN.logsMaximum} events`);
  }
  return found;
}

function quantity(block: number): Hex {
  return `0x${block.toString(16)}`;
}

function unclear(chainId: number, what: string): AppError {
  return new AppError(
    'chain_unavailable',
    `chain ${chainId} answered what cannot be used: ${what}`,
    { retryable: true },
  );
}

function hex(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}
