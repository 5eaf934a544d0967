import { decodeEventLog, encodeFunctionData, isAddressEqual, zeroAddress, type Hex } from 'viem';
import type { QuoteParts } from './quote-parts.ts';
import { DIAMOND_ABI } from './route-calls.ts';
import { DIAMOND } from './swap-chain.ts';
import type { SwapChainName } from './swap-chains.ts';

/** What was taken in for another chain. */
export interface Started {
  /** 32 bytes in hex. */
  readonly id: string;
  readonly sender: string;
  readonly token: string;
  readonly amount: bigint;
  readonly destinationChainId: bigint;
  /** 32 bytes each. */
  readonly receiver: Uint8Array;
  readonly receivingToken: Uint8Array;
  readonly minimum: bigint;
}

/** What became of a transaction of the router's. */
export type Outcome =
  | { readonly kind: 'failed' | 'other' }
  | { readonly kind: 'swapped'; readonly token: string; readonly amount: bigint }
  | { readonly kind: 'started'; readonly started: Started };

/** What was paid out. */
export interface Paid {
  readonly token: string;
  readonly amount: bigint;
  readonly hash: string;
}

const SWAPPED = 'LiFiGenericSwapCompleted';

type Parts = Pick<QuoteParts, 'chains'>;

/** Returns what became of a transaction; null for one that no block has. */
export async function outcomeOnEvm(
  chain: SwapChainName,
  hash: string,
  { chains }: Parts,
): Promise<Outcome | null> {
  const { local } = await chains.open(chain);
  const receipt = await local.node.client
    .getTransactionReceipt({ hash: hash as Hex }) // checked by whoever asks
    .catch(() => null);
  if (receipt === null) return null;
  if (receipt.status === 'reverted') return { kind: 'failed' };
  const own = receipt.logs.filter(({ address }) => isAddressEqual(address, DIAMOND));
  const started = own.map(startedOf).find((one) => one !== null) ?? null;
  if (started !== null) return { kind: 'started', started };
  const swapped = own.map(decoded).find((event) => event?.eventName === SWAPPED) ?? null;
  if (swapped === null) return { kind: 'other' };
  // the event's own fields
  const { toAssetId, toAmount } = swapped.args as { toAssetId: string; toAmount: bigint };
  return { kind: 'swapped', token: toAssetId, amount: toAmount };
}

/** Returns what was paid out under an id; null while nothing was. */
export async function paidOnEvm(
  chain: SwapChainName,
  id: string,
  { chains }: Parts,
): Promise<Paid | null> {
  const { local } = await chains.open(chain);
  const logs = await local.node.client.getLogs({ address: DIAMOND, fromBlock: 0n });
  for (const log of logs) {
    const event = decoded(log);
    if (event?.eventName !== 'TransferPaid' || event.args['id'] !== id) continue;
    // the event's own fields
    return { ...(event.args as unknown as Omit<Paid, 'hash'>), hash: log.transactionHash };
  }
  return null;
}

/** Pays out under an id, which the contract allows once. */
export async function payOnEvm(
  chain: SwapChainName,
  {
    id,
    token,
    receiver,
    amount,
    isFresh,
  }: Pick<Paid, 'token' | 'amount'> & {
    readonly id: string;
    readonly receiver: string;
    /** Nothing of it lies in the contract yet. */
    readonly isFresh: boolean;
  },
  { chains }: Parts,
): Promise<void> {
  const opened = await chains.open(chain);
  const paid = token as Hex; // EVM addresses are hex; the coin is the zero address
  if (isFresh) await opened.give(paid, DIAMOND, amount);
  await opened.local.sender('deployer').send({
    to: DIAMOND,
    data: encodeFunctionData({
      abi: DIAMOND_ABI,
      functionName: 'pay',
      args: [id, isAddressEqual(paid, zeroAddress) ? zeroAddress : paid, receiver, amount],
    }),
  });
}

function startedOf(log: Parameters<typeof decoded>[0]): Started | null {
  const event = decoded(log);
  if (event?.eventName !== 'TransferStarted') return null;
  // the event's own fields
  const { receiver, receivingToken, ...rest } = event.args as unknown as Omit<
    Started,
    'receiver' | 'receivingToken'
  > & { readonly receiver: Hex; readonly receivingToken: Hex };
  return { ...rest, receiver: bytesOf(receiver), receivingToken: bytesOf(receivingToken) };
}

function bytesOf(word: Hex): Uint8Array {
  return Buffer.from(word.slice(2), 'hex');
}

function decoded(log: {
  readonly data: Hex;
  readonly topics: readonly Hex[];
}): { readonly eventName: string; readonly args: Readonly<Record<string, unknown>> } | null {
  try {
    return decodeEventLog({
      abi: DIAMOND_ABI,
      data: log.data,
      topics: log.topics as [Hex, ...Hex[]],
    }) as unknown as ReturnType<typeof decoded>;
  } catch {
    return null;
  }
}
