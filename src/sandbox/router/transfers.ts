import { ok, type Call, type Reply } from '../wire/http-server.ts';
import {
  outcomeOnEvm,
  paidOnEvm,
  payOnEvm,
  type Outcome,
  type Paid,
  type Started,
} from './evm-transfers.ts';
import type { QuoteParts } from './quote-parts.ts';
import { coinAddress, ROUTER_CHAINS, type RouterChain } from './router-chains.ts';
import { findToken, refused, routerChain, tokenView, type RouterToken } from './routed-tokens.ts';
import { solanaText } from './solana-side.ts';
import { unitsOf, wholeOf, wrappedCoin } from './swap-chain.ts';

/**
 * Answers `GET /v1/status` (web3.md section 2.5). The chains are the only memory: what was taken in
 * is there, and what was paid out too, which happens once. A transfer that is asked about and not
 * paid yet is paid.
 */
export async function status({ query }: Call, parts: QuoteParts): Promise<Reply> {
  const hash = query.get('txHash') ?? '';
  const from = routerChain(query.get('fromChain') ?? '') ?? null;
  const isEvm = /^0x[0-9a-fA-F]{64}$/.test(hash);
  if (!isEvm && !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(hash))
    return refused(400, 1_011, 'txHash is required');
  const places = ROUTER_CHAINS.filter(
    (chain) =>
      (chain.chainType === 'EVM') === isEvm &&
      (from === null || from === chain) &&
      (chain.chainType === 'EVM' || parts.solana !== null),
  );
  for (const chain of places) {
    const outcome = await outcomeOn(chain, hash, parts);
    if (outcome !== null) return ok(await answer(chain, hash, { outcome, parts }));
  }
  return ok({ status: 'NOT_FOUND', substatus: 'UNKNOWN_ERROR', substatusMessage: 'Not found' });
}

async function outcomeOn(
  chain: RouterChain,
  hash: string,
  parts: QuoteParts,
): Promise<Outcome | null> {
  if (chain.chain !== 'SOLANA') return outcomeOnEvm(chain.chain, hash, parts);
  const found = parts.solana?.outcome(hash) ?? null;
  return found === null || 'kind' in found
    ? found
    : {
        kind: 'started',
        started: {
          ...found,
          receiver: found.recipient,
          receivingToken: found.outputToken,
          destinationChainId: BigInt(found.destinationChainId),
        },
      };
}

async function answer(
  chain: RouterChain,
  hash: string,
  { outcome, parts }: { readonly outcome: Outcome; readonly parts: QuoteParts },
): Promise<Readonly<Record<string, unknown>>> {
  const sending = { txHash: hash, chainId: chain.id, txLink: `${chain.explorer}tx/${hash}` };
  switch (outcome.kind) {
    case 'failed':
      return { status: 'FAILED', substatus: 'UNKNOWN_FAILED_ERROR', sending };
    case 'other':
      return { status: 'INVALID', substatus: 'UNKNOWN_ERROR', sending };
    case 'swapped':
      return {
        status: 'DONE',
        substatus: 'COMPLETED',
        tool: chain.chain === 'SOLANA' ? 'jupiter' : 'sushiswap',
        sending,
        receiving: receivingOf(chain, { ...outcome, hash }, parts),
      };
    case 'started':
      return transfer(chain, outcome.started, { parts, sending });
  }
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
  if (to === null) return { status: 'FAILED', substatus: 'UNKNOWN_FAILED_ERROR', sending };
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
  const isWhole =
    findToken(parts, to, paid.token)?.address === boughtBy(started, to, parts)?.address;
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
  const isPartial = !isRefund && parts.faults.take('bridge-route-partial') !== null;
  const sold = findToken(parts, from, started.token);
  const bought = isPartial ? findToken(parts, to, 'USDC') : boughtBy(started, to, parts);
  if (sold === null || bought === null) return;
  const dollars = wholeOf(started.amount, sold) * sold.priceUsd * 0.997;
  const fresh = unitsOf(dollars / bought.priceUsd, bought);
  const order = isRefund
    ? { token: sold.address, receiver: started.sender, amount: started.amount }
    : {
        token: bought.address,
        receiver: textOf(to, started.receiver),
        amount: isPartial || fresh > started.minimum ? fresh : started.minimum,
      };
  const place = isRefund ? from : to;
  if (place.chain === 'SOLANA') parts.solana?.pay({ id: started.id, ...order });
  else await payOnEvm(place.chain, { id: started.id, isFresh: !isRefund, ...order }, parts);
}

async function paidOn(chain: RouterChain, id: string, parts: QuoteParts): Promise<Paid | null> {
  if (chain.chain !== 'SOLANA') return paidOnEvm(chain.chain, id, parts);
  const paid = parts.solana?.paid(id) ?? null;
  return paid === null ? null : { ...paid, hash: paid.signature };
}

/** What is to be paid out: the coin where its wrapped form was named. */
function boughtBy(
  { receivingToken }: Started,
  to: RouterChain,
  parts: QuoteParts,
): RouterToken | null {
  const wrapped = wrappedCoin(parts.market, to.chain).address;
  const token = textOf(to, receivingToken);
  return findToken(
    parts,
    to,
    token.toLowerCase() === wrapped.toLowerCase() ? coinAddress(to) : token,
  );
}

/** 32 bytes as the chain writes an address. */
function textOf({ chain }: RouterChain, bytes: Uint8Array): string {
  return chain === 'SOLANA'
    ? solanaText(bytes)
    : `0x${Buffer.from(bytes).subarray(-20).toString('hex')}`;
}
