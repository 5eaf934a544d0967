import { decodeAbiParameters, toEventSelector } from 'viem';
import type { Address, TokenId } from '../../domain/ids.ts';
import type { EvmLog, Hex } from '../../ports/evm.ts';

/** Events of ERC-1155 contracts: operator, sender and recipient are their topics. */
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');

/** What moves shares, as the first topic of a question. */
export const SHARE_MOVEMENTS: readonly Hex[] = [SINGLE, BATCH];

const PAIR = [{ type: 'uint256' }, { type: 'uint256' }] as const;
const LISTS = [{ type: 'uint256[]' }, { type: 'uint256[]' }] as const;

/** Returns what such an event moved of a token, smallest units; nothing of any other token. */
export function sharesMoved({ topics, data }: EvmLog, tokenId: TokenId): bigint {
  if (topics[0] === SINGLE) {
    const [id, amount] = decodeAbiParameters(PAIR, data);
    return String(id) === tokenId ? amount : 0n;
  }
  const [ids, amounts] = decodeAbiParameters(LISTS, data);
  return ids.reduce(
    (sum, id, index) => (String(id) === tokenId ? sum + (amounts[index] ?? 0n) : sum),
    0n,
  );
}

/** Returns by how much the events of a contract changed what a wallet has of a token. */
export function sharesGained(
  logs: readonly EvmLog[],
  {
    contract,
    wallet,
    tokenId,
  }: { readonly contract: Address; readonly wallet: Address; readonly tokenId: TokenId },
): bigint {
  const owner = addressTopic(wallet);
  return logs.reduce((sum, log) => {
    const [event, , sender, recipient] = log.topics;
    const isMovement =
      log.address.toLowerCase() === contract.toLowerCase() &&
      event !== undefined &&
      SHARE_MOVEMENTS.includes(event);
    if (!isMovement || sender === recipient) return sum;
    if (recipient === owner) return sum + sharesMoved(log, tokenId);
    return sender === owner ? sum - sharesMoved(log, tokenId) : sum;
  }, 0n);
}

/** An address as a topic of an event. */
export function addressTopic(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
