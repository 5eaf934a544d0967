import { decodeEventLog, encodeFunctionData, isAddressEqual, zeroAddress, type Hex } from 'viem';
import type { Call, Reply } from '../wire/http-server.ts';
import { ok } from '../wire/http-server.ts';
import { DIAMOND_ABI, type QuoteParts } from './quotes.ts';
import { coinAddress, ROUTER_CHAINS, type RouterChain } from './router-chains.ts';
import { findToken, refused, routerChain, tokenView } from './routed-tokens.ts';
import { DIAMOND, unitsOf, wholeOf, wrappedCoin } from './swap-chain.ts';
import type { SwapChainName } from './swap-chains.ts';

interface Started {
  readonly id: Hex;
  readonly sender: Hex;
  readonly token: Hex;
  readonly amount: bigint;
  readonly destinationChainId: bigint;
  readonly receiver: Hex;
  readonly receivingToken: Hex;
  readonly minimum: bigint;
}

interface Paid {
  readonly token: Hex;
  readonly receiver: Hex;
  readonly amount: bigint;
  readonly hash: Hex;
}

/**
 * Answers `GET /v1/status` (web3.md section 2.5). The chains are the only memory: what was taken in
 * is an event there, and what was paid out another one, which the contract allows once. A transfer
 * that is asked about and not paid yet is paid.
 */
export async function status({ query }: Call, parts: QuoteParts): Promise<Reply> {
  const hash = query.get('txHash') ?? '';
  const from = routerChain(query.get('fromChain') ?? '') ?? null;
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) return refused(400, 1_011, 'txHash is required');
  const places =
    from === null ? ROUTER_CHAINS.filter(({ chainType }) => chainType === 'EVM') : [from];
  for (const chain of places) {
    if (chain.chain === 'SOLANA') continue;
    const found = await outcomeOn(chain, hash as Hex, parts); // checked above
    if (found !== null) return ok(found);
  }
  return ok({ status: 'NOT_FOUND', substatus: 'UNKNOWN_ERROR', substatusMessage: 'Not found' });
}

async function outcomeOn(
  chain: RouterChain,
  hash: Hex,
  parts: QuoteParts,
): Promise<Readonly<Record<string, unknown>> | null> {
  const { local } = await parts.chains.open(chain.chain as SwapChainName);
  const receipt = await local.node.client.getTransactionReceipt({ hash }).catch(() => null);
  if (receipt === null) return null;
  const sending = { txHash: hash, chainId: chain.id, txLink: `${chain.explorer}tx/${hash}` };
  if (receipt.status === 'reverted')
    return { status: 'FAILED', substatus: 'UNKNOWN_FAILED_ERROR', sending };
  const own = receipt.logs.filter(({ address }) => isAddressEqual(address, DIAMOND));
  const started = own.map(startedOf).find((one) => one !== null) ?? null;
  if (started !== null) return transfer(chain, started, { parts, sending });
  return own.length === 0
    ? { status: 'INVALID', substatus: 'UNKNOWN_ERROR', sending }
    : {
        status: 'DONE',
        substatus: 'COMPLETED',
        tool: 'sushiswap',
        sending,
        receiving: { chainId: chain.id, txHash: hash, txLink: sending.txLink },
      };
}

async function transfer(
  from: RouterChain,
  started: Started,
  {
    parts,
    sending,
  }: { readonly parts: QuoteParts; readonly sending: Readonly<Record<string, unknown>> },
): Promise<Readonly<Record<string, unknown>>> {
  const to = routerChain(started.destinationChainId.toString());
  if (to === null || to.chain === 'SOLANA')
    return { status: 'FAILED', substatus: 'UNKNOWN_FAILED_ERROR', sending };
  const base = { tool: 'across', sending, fromAddress: started.sender };
  const back = await paidOn(from, started.id, parts);
  if (back !== null)
    return {
      ...base,
      status: 'DONE',
      substatus: 'REFUNDED',
      receiving: receivingOf(from, back, parts),
    };
  const paid = await paidOn(to, started.id, parts);
  if (paid === null) {
    if (parts.faults.take('bridge-route-late') === null) await pay(from, to, started, parts);
    return {
      ...base,
      status: 'PENDING',
      substatus: 'WAIT_DESTINATION_TRANSACTION',
      receiving: { chainId: to.id },
    };
  }
  const isWhole = isAddressEqual(paid.token, boughtBy(started, to, parts));
  return {
    ...base,
    status: 'DONE',
    substatus: isWhole ? 'COMPLETED' : 'PARTIAL',
    receiving: receivingOf(to, paid, parts),
  };
}

function receivingOf(
  chain: RouterChain,
  { hash, token, amount }: Paid,
  parts: QuoteParts,
): unknown {
  const listed = findToken(parts, chain, token);
  return {
    chainId: chain.id,
    txHash: hash,
    txLink: `${chain.explorer}tx/${hash}`,
    amount: amount.toString(),
    ...(listed === null ? {} : { token: tokenView(listed) }),
  };
}

/**
 * Pays on the other side; by a fault gives back what came, or pays in dollars what was meant to be
 * something else.
 */
async function pay(
  from: RouterChain,
  to: RouterChain,
  started: Started,
  parts: QuoteParts,
): Promise<void> {
  const isRefund = parts.faults.take('bridge-route-refunded') !== null;
  const place = isRefund ? from : to;
  const chain = await parts.chains.open(place.chain as SwapChainName);
  const isPartial = !isRefund && parts.faults.take('bridge-route-partial') !== null;
  const sold = findToken(parts, from, started.token);
  const bought = findToken(
    parts,
    to,
    isPartial ? chain.dollar.address : boughtBy(started, to, parts),
  );
  if (sold === null || bought === null) return;
  const dollars = wholeOf(started.amount, sold) * sold.priceUsd * 0.997;
  const fresh = unitsOf(dollars / bought.priceUsd, bought);
  const amount = isRefund
    ? started.amount
    : isPartial || fresh > started.minimum
      ? fresh
      : started.minimum;
  const token = isRefund ? started.token : (bought.address as Hex); // EVM addresses are hex
  const receiver = isRefund ? started.sender : unpadded(started.receiver);
  if (!isRefund) await chain.give(token, DIAMOND, amount);
  const isCoin = isAddressEqual(token, zeroAddress);
  await chain.local.sender('deployer').send({
    to: DIAMOND,
    data: encodeFunctionData({
      abi: DIAMOND_ABI,
      functionName: 'pay',
      args: [started.id, isCoin ? zeroAddress : token, receiver, amount],
    }),
  });
}

async function paidOn(chain: RouterChain, id: Hex, parts: QuoteParts): Promise<Paid | null> {
  const { local } = await parts.chains.open(chain.chain as SwapChainName);
  const logs = await local.node.client.getLogs({ address: DIAMOND, fromBlock: 0n });
  for (const log of logs) {
    const event = decoded(log);
    if (event?.eventName !== 'TransferPaid' || event.args['id'] !== id) continue;
    // the event's own fields
    return { ...(event.args as unknown as Omit<Paid, 'hash'>), hash: log.transactionHash };
  }
  return null;
}

function startedOf(log: Parameters<typeof decoded>[0]): Started | null {
  const event = decoded(log);
  // the event's own fields
  return event?.eventName === 'TransferStarted' ? (event.args as unknown as Started) : null;
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

/** What is to be paid out: the coin where its wrapped form was named. */
function boughtBy({ receivingToken }: Started, to: RouterChain, { market }: QuoteParts): Hex {
  const token = unpadded(receivingToken);
  return isAddressEqual(token, wrappedCoin(market, to.chain).address as Hex) // EVM addresses are hex
    ? (coinAddress(to) as Hex)
    : token;
}

function unpadded(word: Hex): Hex {
  return `0x${word.slice(-40)}`;
}
