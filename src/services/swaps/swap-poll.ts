import type { SwapPoll, SwapPlace } from '../../../machines/swap.ts';
import { SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import { isCoinTicker, knownTokenAt } from '../../domain/known-tokens.ts';
import { isSwapOver, type SwapRecord, type SwapState } from '../../domain/swap.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Hex } from '../../ports/evm.ts';
import type { RouteStatus } from '../../ports/router.ts';
import type { SwapDeps } from './swap-deps.ts';
import {
  arrivedIn,
  coinInReceipt,
  hasForgotten,
  isTransactionName,
  type SwapNodes,
} from './swap-proof.ts';
import { putSwap, readSwap } from './swap-records.ts';
import { isSameToken } from '../tokens/same-token.ts';
import { statedDecimals, walletOn } from './swap-sides.ts';

/** What a poll may learn. */
type Learned = Partial<
  Pick<
    SwapRecord,
    | 'state'
    | 'sentHash'
    | 'receivedHash'
    | 'received'
    | 'receivedToken'
    | 'receivedDecimals'
    | 'reason'
  >
>;

/**
 * Polls once how far a swap is: at its own transaction first, which the transactions service
 * proves; then at what arrived, which counts when a final block of the chain shows it in the user's
 * wallet. The router's word says where to read, and decides nothing.
 */
export async function pollSwap(deps: SwapDeps, { userId, swapId }: SwapPlace): Promise<SwapPoll> {
  const before = readSwap(deps.store, userId, swapId);
  if (isSwapOver(before.state)) return { isOver: true, isNew: false };
  const learned =
    before.state === 'queued' ? await pollSending(deps, before) : await pollArrival(deps, before);
  if (learned === null) return { isOver: false, isNew: false };
  const after = await deps.commit((tx) => {
    const known = readSwap(tx, userId, swapId);
    if (isSwapOver(known.state)) return known;
    const changed = { ...known, ...learned, updatedAtMs: deps.clock.nowMs() };
    putSwap(tx, { before: known, after: changed });
    return changed;
  });
  const isOver = isSwapOver(after.state);
  if (isOver) {
    const { state, reason, sentHash, receivedHash } = after;
    deps.log.info({ userId, swapId, state, reason, sentHash, receivedHash }, 'swap.ended');
    deps.metrics.count('swaps_total', { state });
  }
  return { isOver, isNew: true };
}

async function pollSending(deps: SwapDeps, swap: SwapRecord): Promise<Learned | null> {
  const { transactions } = deps;
  const known = transactions.get(swap.userId, swap.transactionId);
  if (known === null) return { state: 'failed', reason: 'its transaction is not there' };
  if (!isTransactionOver(known.state)) transactions.wake(swap.userId);
  const sent = await transactions.settled(known, SWAP.pauseFirstMs);
  if (!isTransactionOver(sent.state)) return null;
  const { transactionHash: sentHash } = sent;
  if (sent.state === 'failed' || sentHash === null)
    return { state: 'failed', reason: sent.reason ?? 'not executed', sentHash };
  if (swap.sell.chain !== swap.buy.chain) return { state: 'following', sentHash };
  const learned = await boughtIn(deps, swap, { ...sent, transactionHash: sentHash });
  return learned === null ? null : { ...learned, sentHash, receivedHash: sentHash };
}

/**
 * What a swap on one chain bought. Its own final block proves that at least the minimum was paid,
 * for the router's contract takes back what pays less; where the node has forgotten the balances
 * that show how much, the contract's event in the receipt does, and where that is missing too the
 * swap ends without the amount.
 */
async function boughtIn(
  { nodesOf, targets, clock }: SwapDeps,
  swap: SwapRecord,
  {
    account,
    transactionHash,
    updatedAtMs,
  }: TransactionRecord & { readonly transactionHash: string },
): Promise<Learned | null> {
  const nodes = nodesOf(swap.buy.chain);
  if (nodes === null) return null;
  const owner = asId<Address>(account.address);
  const hash = transactionHash as Hex; // of a transaction of an EVM account wherever it is read
  const token = swap.buy.address;
  try {
    const amount = await arrivedIn(nodes, hash, { owner, token });
    return amount === null ? null : ended(swap, 'completed', amount);
  } catch (error) {
    if (!(error instanceof AppError) || nodes.kind !== 'evm' || token !== null) throw error;
    const stated = await coinInReceipt(nodes, hash, { owner, contracts: targets });
    if (stated === undefined) return null;
    if (stated !== null) return { reason: STATED, ...ended(swap, 'completed', stated) };
    const isWaitedFor = clock.nowMs() - updatedAtMs < SWAP.balancesWaitMs;
    if (isWaitedFor || !(await hasForgotten(nodes, owner, hash))) throw error;
    return { state: 'completed', reason: FORGOTTEN };
  }
}

const STATED =
  'the amount is what the contract says it paid: the chain node no longer has the balances';
const FORGOTTEN = 'the amount is not known: the chain node no longer has the balances';
const UNPROVABLE =
  'the router says it arrived, without proof: the chain node no longer has the balances';

/** The least that was promised is what makes it whole. */
function ended(swap: SwapRecord, state: SwapState, amount: bigint): Learned {
  if (state === 'completed' && amount < BigInt(swap.minimumOut))
    return {
      state: 'partial',
      received: amount.toString(),
      reason: 'less arrived than was promised',
    };
  return { state, received: amount.toString() };
}

async function pollArrival(deps: SwapDeps, swap: SwapRecord): Promise<Learned | null> {
  const { router, clock, log } = deps;
  const { sentHash, userId, swapId } = swap;
  if (sentHash === null) return null;
  if (clock.nowMs() - swap.createdAtMs > SWAP.giveUpMs) {
    log.error({ userId, swapId, sentHash }, 'swap.unproven');
    return { state: 'unproven', reason: 'nothing was seen to arrive within a day' };
  }
  const word = await router.status({
    transactionHash: sentHash,
    fromChain: swap.sell.chain,
    toChain: swap.buy.chain,
    tool: swap.tool,
  });
  const claim = claimOf(swap, word);
  return claim === null ? null : proven(deps, swap, claim);
}

/** Where the router says to read, and what would be found there. */
interface Claim {
  readonly state: 'completed' | 'refunded' | 'partial';
  readonly chain: Web3ChainId;
  readonly hash: string;
  readonly token: string | null;
}

function claimOf(swap: SwapRecord, word: RouteStatus): Claim | null {
  const { receivingHash: hash, receivingChain } = word;
  if (hash === null) return null;
  const at = (chain: Web3ChainId): boolean =>
    (receivingChain === null || receivingChain === chain) && isTransactionName(chain, hash);
  switch (word.state) {
    case 'done':
      return at(swap.buy.chain)
        ? { state: 'completed', chain: swap.buy.chain, hash, token: swap.buy.address }
        : null;
    case 'partial':
      return at(swap.buy.chain)
        ? { state: 'partial', chain: swap.buy.chain, hash, token: word.receivedToken }
        : null;
    case 'refunded':
      return at(swap.sell.chain)
        ? { state: 'refunded', chain: swap.sell.chain, hash, token: swap.sell.address }
        : null;
    default:
      return null;
  }
}

async function proven(deps: SwapDeps, swap: SwapRecord, claim: Claim): Promise<Learned | null> {
  const { chain, hash, token, state } = claim;
  const nodes = deps.nodesOf(chain);
  if (nodes === null || hash === swap.sentHash) return null;
  const owner = walletOn(deps.walletsOf(swap.userId), chain);
  try {
    const amount = await arrivedIn(nodes, hash, { owner, token });
    // a claim that the chain does not bear out is no end
    if (amount === null || amount <= 0n) return null;
    const instead = insteadOf(swap, claim);
    return {
      ...ended(swap, state, amount),
      ...instead,
      ...(await decimalsOf(nodes, chain, instead.receivedToken)),
      receivedHash: hash,
    };
  } catch (error) {
    // the balances are read of a final transaction alone
    if (!(error instanceof AppError) || nodes.kind !== 'evm' || token !== null) throw error;
    const isWaitedFor = deps.clock.nowMs() - swap.updatedAtMs < SWAP.balancesWaitMs;
    if (isWaitedFor || !(await hasForgotten(nodes, asId<Address>(owner), hash as Hex))) throw error;
    const { userId, swapId, sentHash } = swap;
    deps.log.error({ userId, swapId, sentHash, receivedHash: hash }, 'swap.unproven');
    return { state: 'unproven', reason: UNPROVABLE, receivedHash: hash };
  }
}

/** Decimals of a token that was paid instead, where our list does not have them. */
async function decimalsOf(
  nodes: SwapNodes,
  chain: Web3ChainId,
  token: string | null | undefined,
): Promise<Pick<Learned, 'receivedDecimals'>> {
  if (!token || isCoinTicker(chain, token) || knownTokenAt(chain, token) !== null) return {};
  const receivedDecimals = await statedDecimals(nodes, token);
  return receivedDecimals === null ? {} : { receivedDecimals };
}

/** What arrived in the place of what was bought, and why that is an end. */
function insteadOf(
  { sell, buy }: SwapRecord,
  { state, chain, token }: Pick<Claim, 'state' | 'chain' | 'token'>,
): Pick<Learned, 'receivedToken' | 'reason'> {
  if (state === 'refunded') return { reason: `the bridge gave the ${sell.symbol} back` };
  if (state !== 'partial') return {};
  const isOther =
    token === null ? buy.address !== null : !isSameToken({ ...buy, address: token }, buy);
  if (!isOther) return { reason: `the bridge paid less ${buy.symbol} than was promised` };
  const receivedToken = token ?? web3Chain(chain).native.symbol;
  const name = knownTokenAt(chain, receivedToken)?.symbol ?? receivedToken;
  return { receivedToken, reason: `the bridge paid ${name} instead of ${buy.symbol}` };
}
