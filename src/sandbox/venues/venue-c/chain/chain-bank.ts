import type { Hex } from 'viem';
import { CHAIN_VENUE } from '../../../../../config/limits/sandbox-chains.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import { AccountQueue, type QueuedTransaction } from '../../../chains/evm/account-queue.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import type { LocalChain } from '../../../chains/evm/local-chain.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { contractsOf, VENUE_C_CHAIN } from '../chain-addresses.ts';
import type { Bank, SettlementNews } from '../model/bank.ts';
import type { VenueMarket } from '../model/market.ts';
import type { SignedOrder, TradePart, VenueTrade } from '../model/order.ts';
import { prepareMarket, reportMarket } from './conditions.ts';
import { equipMaker, makerAccount } from './maker-account.ts';
import { matchCall } from './match-call.ts';

interface Open {
  readonly trade: VenueTrade;
  attempt: number;
  /** Looks to wait before the next attempt. */
  rest: number;
  /** What was said of it last. */
  said: VenueTrade['status'];
}

interface Joined {
  readonly chain: LocalChain;
  readonly queue: AccountQueue;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A bank whose money is on chain 8453: what an account has is what the chain says, and each match
 * is one transaction of the operator, kept before it is sent and tried again a few times.
 */
export function openChainBank(parts: {
  /** Up or coming up: the first call that needs it waits. */
  readonly chain: Promise<LocalChain>;
  /** The chains' time. */
  readonly clock: Clock;
  readonly marketOf: (slug: string) => VenueMarket | null;
  readonly signedOf: (part: TradePart) => SignedOrder | null;
  /** Transactions of the operator's account. */
  readonly transactions: RecordStore<QueuedTransaction>;
}): Bank {
  const { clock, marketOf, signedOf, transactions } = parts;
  const open = new Map<string, Open>();
  const owed = new Map<string, { market: VenueMarket; payouts: readonly [number, number] }>();
  let hear: (news: SettlementNews) => void = () => undefined;
  let version = 0;
  let joining: Promise<Joined> | null = null;
  let timer: Timer | null = null;
  let polling: Promise<void> | null = null;
  let isStopped = false;

  function join(): Promise<Joined> {
    joining ??= parts.chain.then(async (chain) => {
      await equipMaker(chain);
      const account = chainAccount(chain.seed, 'operator');
      const { client } = chain.node;
      return { chain, queue: new AccountQueue({ client, account, records: transactions, clock }) };
    });
    joining.catch(() => (joining = null));
    return joining;
  }

  /** Polls again while something is under way; a node that does not answer is asked again. */
  function wake(): void {
    if (isStopped || timer !== null || polling !== null) return;
    if (open.size === 0 && owed.size === 0) return;
    timer = clock.after(CHAIN_VENUE.pollMs, () => {
      timer = null;
      polling = poll()
        .catch(() => undefined)
        .finally(() => {
          polling = null;
          wake();
        });
    });
  }

  async function poll(): Promise<void> {
    const { chain, queue } = await join();
    for (const one of open.values()) await advance(one, chain, queue);
    for (const [slug, { market, payouts }] of owed) {
      await reportMarket(chain, market, payouts);
      owed.delete(slug);
    }
  }

  async function advance(one: Open, chain: LocalChain, queue: AccountQueue): Promise<void> {
    while (queue.get(nameOf(one, one.attempt + 1)) !== null) one.attempt += 1;
    const transaction = queue.get(nameOf(one, one.attempt));
    if (transaction === null) {
      if (one.rest > 0) one.rest -= 1;
      else await send(one, chain, queue);
      return;
    }
    const isFinal = queue.isFinal(transaction);
    const { state } = transaction;
    if (state === 'succeeded') {
      say(one, isFinal && one.said === 'MINED' ? 'CONFIRMED' : 'MINED', transaction);
    } else if (state === 'refused' || (state === 'reverted' && isFinal)) {
      const isLast = one.trade.course === 'fails' || one.attempt + 1 >= CHAIN_VENUE.attemptsMaximum;
      say(one, isLast ? 'FAILED' : 'RETRYING', transaction);
      one.attempt += 1;
      one.rest = CHAIN_VENUE.pollsPerAttempt;
      // the block that had it is gone: the same transaction comes again
    } else if (state === 'sent' && one.said === 'MINED') say(one, 'RETRYING', transaction);
  }

  /**
   * Says first what a block has of an account's trades: what it holds is read from that block, and
   * would be counted as promised as well.
   */
  async function catchUp(account: string, { chain, queue }: Joined): Promise<void> {
    const own = [...open.values()].filter(
      ({ trade: { taker, makers }, said }) =>
        said !== 'MINED' && [taker, ...makers].some((part) => part.account === account),
    );
    if (own.length === 0) return;
    await queue.work();
    for (const one of own)
      if (queue.get(nameOf(one, one.attempt)) !== null) await advance(one, chain, queue);
  }

  function say(one: Open, status: SettlementNews['status'], { signed }: QueuedTransaction): void {
    if (one.said === status) return;
    one.said = status;
    version += 1;
    if (status === 'CONFIRMED' || status === 'FAILED') open.delete(one.trade.tradeId);
    hear({
      tradeId: one.trade.tradeId,
      status,
      txHash: status === 'FAILED' ? null : (signed?.hash ?? null),
    });
  }

  async function send(one: Open, chain: LocalChain, queue: AccountQueue): Promise<void> {
    const { trade, attempt } = one;
    const market = marketOf(trade.slug);
    if (market === null) return void open.delete(trade.tradeId);
    await prepareMarket(chain, market);
    const isSpoilt = attempt === 0 && trade.course !== 'settles';
    const call = await matchCall({ trade, market, signedOf, isSpoilt }, makerAccount(chain.seed));
    queue.enqueue(nameOf(one, attempt), { ...call, isForced: isSpoilt });
  }

  return {
    version: () => version,
    async read(account, market) {
      const { tokens } = market;
      const { exchange, adapter } = contractsOf(market);
      const joined = await join();
      const { chain } = joined;
      const owner = account as Hex; // the venue has checked that it is an address
      const isAllowed = (operator: Hex) =>
        chain.node.client.readContract({
          ...framework,
          functionName: 'isApprovedForAll',
          args: [owner, operator],
        });
      const [usdc, allowed, shares, areSharesAllowed] = await Promise.all([
        readDollars(chain, 'balanceOf', [owner]),
        readDollars(chain, 'allowance', [owner, exchange]),
        chain.node.client.readContract({
          ...framework,
          functionName: 'balanceOfBatch',
          args: [
            [owner, owner],
            [BigInt(tokens[0]), BigInt(tokens[1])],
          ],
        }),
        Promise.all([exchange, ...(adapter === null ? [] : [adapter])].map(isAllowed)),
      ]);
      await catchUp(account, joined);
      return {
        usdc: numberOf(usdc),
        usdcAllowed: numberOf(allowed),
        shares: [numberOf(shares[0] ?? 0n), numberOf(shares[1] ?? 0n)],
        // a sale of a market of a group needs both (venue_c.md section 5)
        areSharesAllowed: areSharesAllowed.every((is) => is),
      };
    },
    settle(trade) {
      open.set(trade.tradeId, { trade, attempt: 0, rest: 0, said: trade.status });
      wake();
    },
    onNews(listener) {
      hear = listener;
    },
    pay(market, payouts) {
      owed.set(market.slug, { market, payouts });
      wake();
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await polling;
      if (joining === null) transactions.close();
      else await joining.then(({ queue }) => queue.close()).catch(() => transactions.close());
    },
  };
}

const framework = {
  address: VENUE_C_CHAIN.conditionalTokens,
  abi: CONDITIONAL_TOKENS_ABI,
} as const;

function readDollars(
  { node }: LocalChain,
  ...[functionName, args]:
    | [functionName: 'balanceOf', args: readonly [Hex]]
    | [functionName: 'allowance', args: readonly [Hex, Hex]]
): Promise<bigint> {
  const contract = { address: VENUE_C_CHAIN.usdc, abi: TOKEN_ABI } as const;
  return functionName === 'balanceOf'
    ? node.client.readContract({ ...contract, functionName, args })
    : node.client.readContract({ ...contract, functionName, args });
}

/** Amounts beyond the safe integers are as good as endless here. */
function numberOf(amount: bigint): number {
  return Number(amount > MOST ? MOST : amount);
}

function nameOf({ trade }: Open, attempt: number): string {
  return `${trade.tradeId}:${attempt}`;
}
