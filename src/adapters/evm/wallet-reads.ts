import { toEventSelector } from 'viem';
import { EVM_RAIL, EVM_WALLET } from '../../../config/limits/chain.ts';
import type { Address, TokenId, UserId } from '../../domain/ids.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import type { EvmChain, EvmLog, Hex } from '../../ports/evm.ts';
import type { WalletHistory, WalletMovement, WalletReads } from '../../ports/venue.ts';
import { SHARE_MOVEMENTS, addressTopic, sharesMoved } from './share-movements.ts';

/** The event of ERC-20 contracts. */
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/**
 * Creates the reads of users' own EVM wallets. Marks are block numbers: of a history everything up
 * to its mark is left out, and without one it begins EVM_WALLET.historyBlocksMaximum back.
 */
export function createEvmWalletReads({
  evm,
  walletOf,
  usdc,
  conditionalTokens,
  exchanges,
}: {
  readonly evm: Pick<EvmChain, 'head' | 'balances' | 'shares' | 'logs' | 'receipt' | 'hasBlock'>;
  /** The user's own address. Errors: `not_found`, `master_key_wrong`. */
  readonly walletOf: (userId: UserId) => Promise<Address>;
  readonly usdc: Address;
  /** Holds the outcomes of markets, ERC-1155 with the decimals of USDC. */
  readonly conditionalTokens: Address;
  /** Settle trades: each names in its events the wallets it trades for. */
  readonly exchanges: readonly Address[];
}): WalletReads {
  return {
    async holdings(userId, known) {
      const owner = await walletOf(userId);
      const [{ tokens }, shares] = await Promise.all([
        evm.balances(owner, [usdc]),
        sharesOf(evm, { owner, contract: conditionalTokens, known }),
      ]);
      return {
        usdc: usdcMicros(Number(tokens[0] ?? 0n)),
        tokens: new Map(
          known.flatMap((tokenId, index) => {
            const held = shares[index] ?? 0n;
            return held > 0n && held <= BigInt(Number.MAX_SAFE_INTEGER)
              ? [[tokenId, shareMicros(Number(held))] as const]
              : [];
          }),
        ),
      };
    },
    history: async (userId, tokenId, since) =>
      historyOf(evm, exchanges, {
        owner: await walletOf(userId),
        contract: tokenId === null ? usdc : conditionalTokens,
        tokenId,
        since,
      }),
    async mark() {
      const { blockNumber } = await evm.head();
      return String(Math.max(0, blockNumber - EVM_WALLET.markDepthBlocks));
    },
    async standing(transactionHash, block) {
      const receipt = await evm.receipt(transactionHash as Hex); // named by this chain
      if (receipt === null)
        return block !== null && (await evm.hasBlock(block)) ? 'absent' : 'pruned';
      if (receipt.confirmations < EVM_RAIL.confirmations) return 'open';
      return receipt.succeeded ? 'final' : 'failed';
    },
  };
}

async function sharesOf(
  evm: Pick<EvmChain, 'shares'>,
  {
    owner,
    contract,
    known,
  }: {
    readonly owner: Address;
    readonly contract: Address;
    readonly known: readonly TokenId[];
  },
): Promise<readonly bigint[]> {
  const shares: bigint[] = [];
  for (let from = 0; from < known.length; from += EVM_WALLET.tokensPerQuestion)
    shares.push(
      ...(await evm.shares(
        owner,
        contract,
        known.slice(from, from + EVM_WALLET.tokensPerQuestion),
      )),
    );
  return shares;
}

interface Question {
  readonly owner: Address;
  readonly contract: Address;
  /** Null: the USDC. */
  readonly tokenId: TokenId | null;
  readonly since: string | null;
}

async function historyOf(
  evm: Pick<EvmChain, 'head' | 'logs' | 'receipt'>,
  exchanges: readonly Address[],
  { owner, contract, tokenId, since }: Question,
): Promise<WalletHistory> {
  const { blockNumber: newest } = await evm.head();
  const finalBlock = newest - EVM_RAIL.confirmations + 1;
  const oldest = Math.max(0, newest - EVM_WALLET.historyBlocksMaximum + 1);
  const fromBlock = since === null ? oldest : Number(since) + 1;
  if (fromBlock < oldest) return { kind: 'too_long' };
  const topic = addressTopic(owner);
  const read = (topics: readonly (Hex | readonly Hex[] | null)[]) =>
    evm.logs({ address: contract, topics, fromBlock, toBlock: newest });
  const [sent, received] =
    tokenId === null
      ? [await read([TRANSFER, topic, null]), await read([TRANSFER, null, topic])]
      : [
          await read([SHARE_MOVEMENTS, null, topic, null]),
          await read([SHARE_MOVEMENTS, null, null, topic]),
        ];
  const moved = new Map<Hex, bigint>();
  const add = (sign: 1n | -1n) => (log: EvmLog) => {
    const { transactionHash } = log;
    moved.set(transactionHash, (moved.get(transactionHash) ?? 0n) + sign * amountIn(log, tokenId));
  };
  const logs = [...sent, ...received].sort(inOrder);
  sent.forEach(add(-1n));
  received.forEach(add(1n));
  if (
    logs.some(
      ({ blockNumber, transactionHash }) =>
        blockNumber > finalBlock && moved.get(transactionHash) !== 0n,
    )
  )
    return { kind: 'unsettled' };
  const blocks = new Map(
    logs.map(({ transactionHash, blockNumber }) => [transactionHash, blockNumber]),
  );
  const hashes = [...blocks].filter(([hash]) => moved.get(hash) !== 0n);
  if (hashes.length > EVM_WALLET.historyMaximum) return { kind: 'too_long' };
  const movements: WalletMovement[] = [];
  for (let from = 0; from < hashes.length; from += EVM_WALLET.receiptsAtOnce)
    movements.push(
      ...(await Promise.all(
        hashes
          .slice(from, from + EVM_WALLET.receiptsAtOnce)
          .map(async ([transactionHash, block]) => ({
            transactionHash,
            micros: Number(moved.get(transactionHash) ?? 0n),
            block,
            isTrade: await isTrade(evm, { transactionHash, topic, exchanges }),
          })),
      )),
    );
  return { kind: 'read', movements, newest: String(finalBlock) };
}

/** Whether one of the exchanges names the wallet in a transaction. */
async function isTrade(
  evm: Pick<EvmChain, 'receipt'>,
  {
    transactionHash,
    topic,
    exchanges,
  }: {
    readonly transactionHash: Hex;
    readonly topic: Hex;
    readonly exchanges: readonly Address[];
  },
): Promise<boolean> {
  const named = new Set(exchanges.map((address) => address.toLowerCase()));
  const receipt = await evm.receipt(transactionHash);
  return (receipt?.logs ?? []).some(
    ({ address, topics }) => named.has(address.toLowerCase()) && topics.includes(topic),
  );
}

/** What an event moved of a token, or of USDC for none; smallest units. */
function amountIn(log: EvmLog, tokenId: TokenId | null): bigint {
  if (tokenId !== null) return sharesMoved(log, tokenId);
  return log.data === '0x' ? 0n : BigInt(log.data.slice(0, 66));
}

function inOrder(one: EvmLog, other: EvmLog): number {
  return one.blockNumber - other.blockNumber || one.logIndex - other.logIndex;
}
