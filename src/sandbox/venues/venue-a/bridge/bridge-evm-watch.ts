import { getAddress, padHex, parseAbiItem, TransactionReceiptNotFoundError, type Hex } from 'viem';
import { BRIDGE_MODEL } from '../../../../../config/limits/sandbox-chains.ts';
import type { EvmClient } from '../../../chains/evm/evm-client.ts';

/** A payment seen on a chain. */
export interface SeenPayment {
  readonly id: string;
  readonly address: string;
  readonly token: string;
  readonly amount: string;
}

/** A poll of a local EVM chain: what was paid, and how final each payment is. */
export interface EvmPoll {
  readonly head: number;
  readonly payments: readonly SeenPayment[];
}

const TRANSFER = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
);

/**
 * Reads what was paid to `addresses` in any token since a little before `sinceBlock`. A native coin
 * leaves no trace to be read and is not seen, as with the venue's bridge.
 */
export async function pollEvm(
  client: EvmClient,
  { sinceBlock, addresses }: { readonly sinceBlock: number; readonly addresses: readonly Hex[] },
): Promise<EvmPoll> {
  const head = Number(await client.getBlockNumber());
  const payments: SeenPayment[] = [];
  for (
    let from = Math.max(0, Math.min(sinceBlock, head) - BRIDGE_MODEL.rereadBlocks);
    from <= head;
    from += BRIDGE_MODEL.logSpanBlocks
  ) {
    const toBlock = BigInt(Math.min(head, from + BRIDGE_MODEL.logSpanBlocks - 1));
    for (let first = 0; first < addresses.length; first += BRIDGE_MODEL.addressesPerQuestion) {
      const logs = await client.getLogs({
        event: TRANSFER,
        args: { to: addresses.slice(first, first + BRIDGE_MODEL.addressesPerQuestion) },
        fromBlock: BigInt(from),
        toBlock,
        strict: true,
      });
      for (const { address, args, transactionHash, logIndex } of logs) {
        if (args.value > 0n)
          payments.push({
            id: paymentId(client.chain.id, transactionHash, logIndex),
            address: args.to,
            token: getAddress(address),
            amount: args.value.toString(),
          });
      }
    }
  }
  return { head, payments };
}

/**
 * Blocks on top of a payment, its own included; 0 when the chain does not have it any more. Errors:
 * those of the node.
 */
export async function confirmationsOf(
  client: EvmClient,
  id: string,
  head: number,
): Promise<number> {
  const [, hash = '0x', index = ''] = id.split(':');
  const receipt = await client
    .getTransactionReceipt({ hash: padHex(hash as Hex, { size: 32 }) })
    .catch(nothingFound); // ids are made of a hash by paymentId
  const isThere =
    receipt !== null && receipt.logs.some(({ logIndex }) => logIndex === Number(index));
  return isThere ? Math.max(0, head - Number(receipt.blockNumber) + 1) : 0;
}

/**
 * Only the node's answer proves absence: a call that failed tells nothing of a payment.
 */
function nothingFound(error: unknown): null {
  if (error instanceof TransactionReceiptNotFoundError) return null;
  throw error;
}

function paymentId(chainId: number, hash: Hex, logIndex: number): string {
  return `${chainId}:${hash}:${logIndex}`;
}
