import { encodeFunctionData, type Hex } from 'viem';
import { CHAIN_VENUE } from '../../../../../config/limits/sandbox-chains.ts';
import type { TradeId } from '../../../../domain/ids.ts';
import type { EngineTrade } from '../../../engine/exchange-types.ts';
import { isMakerOwner } from '../../../engine/engine-state.ts';
import type { SettlementJob, TradeStatus, Settler } from '../../../engine/settler.ts';
import type { AccountQueue, QueuedTransaction } from '../../../chains/evm/account-queue.ts';
import type { ChainCleaner } from './clear-chain.ts';
import type { MarketMaker } from './market-maker.ts';
import { exchangeOf, makerOrderHashes, matchParts } from './match-parts.ts';
import { EXCHANGE_ABI } from '../chain/exchange-orders.ts';

interface Open {
  readonly job: SettlementJob;
  /** As the venue knows it. */
  status: EngineTrade['status'];
  attempt: number;
  /** Block that has the transaction; null while none has. */
  landedAt: number | null;
  /** Looks to wait before the next attempt. */
  rest: number;
}

/**
 * Settles trades by the exchange contract: one transaction of the operator for each, signed and
 * kept before it is sent, and sent as often as it takes. What the chain refuses is tried again a
 * few times and then has failed.
 */
export class ChainSettler implements Settler {
  readonly #open = new Map<TradeId, Open>();
  /** Trades that are final since the node last answered. */
  readonly #final: SettlementJob[] = [];

  settle(job: SettlementJob, status: EngineTrade['status']): void {
    this.#open.set(job.tradeId, { job, status, attempt: 0, landedAt: null, rest: 0 });
  }

  /** True while trades are on their way. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** Hands over what has not been handed over yet. Errors: those of the node. */
  async send({
    queue,
    maker,
    cleaner,
    isTradable,
  }: {
    /** Of the operator's account. */
    readonly queue: AccountQueue;
    readonly maker: MarketMaker;
    readonly cleaner: Pick<ChainCleaner, 'clearOrders'>;
    readonly isTradable: (marketId: SettlementJob['marketId']) => boolean;
  }): Promise<void> {
    for (const open of this.#open.values()) {
      if (open.rest > 0) open.rest -= 1;
      else if (queue.get(nameOf(open.job, open.attempt)) === null && isTradable(open.job.marketId))
        await this.#attempt(open, queue, maker);
    }
    for (let job = this.#final[0]; job !== undefined; job = this.#final[0]) {
      await cleaner.clearOrders(exchangeOf(job), makerOrderHashes(job, maker.account));
      this.#final.shift();
    }
  }

  /**
   * Trades by the hash of the transaction that is to carry them: that of the newest attempt, which
   * may be an earlier run's.
   */
  carriers(queue: Pick<AccountQueue, 'get'>): ReadonlyMap<string, TradeId> {
    return new Map(
      [...this.#open.values()].flatMap((open): readonly (readonly [string, TradeId])[] => {
        while (queue.get(nameOf(open.job, open.attempt + 1)) !== null) open.attempt += 1;
        const hash = queue.get(nameOf(open.job, open.attempt))?.signed?.hash;
        return hash === undefined ? [] : [[hash, open.job.tradeId]];
      }),
    );
  }

  /**
   * What has become of trades, given the block each new one landed in. After a reorganisation
   * `landed` is all there is.
   */
  hear(
    queue: Pick<AccountQueue, 'get' | 'isFinal'>,
    news: {
      readonly landed: ReadonlyMap<TradeId, number>;
      readonly head: number;
      readonly isAnew: boolean;
    },
  ): readonly TradeStatus[] {
    const words: TradeStatus[] = [];
    for (const open of this.#open.values()) {
      open.landedAt = news.landed.get(open.job.tradeId) ?? (news.isAnew ? null : open.landedAt);
      const transaction = queue.get(nameOf(open.job, open.attempt));
      const next = nextStatus(open, transaction, {
        head: news.head,
        isFinal: transaction !== null && queue.isFinal(transaction),
      });
      if (next === null) continue;
      if (next === 'RETRYING' && open.landedAt === null && isOver(transaction))
        Object.assign(open, { attempt: open.attempt + 1, rest: CHAIN_VENUE.pollsPerAttempt });
      open.status = next;
      words.push({
        tradeId: open.job.tradeId,
        status: next,
        transactionHash: transaction?.signed?.hash ?? null,
      });
      if (next !== 'CONFIRMED' && next !== 'FAILED') continue;
      this.#open.delete(open.job.tradeId);
      this.#final.push(open.job);
    }
    return words;
  }

  async #attempt({ job, attempt }: Open, queue: AccountQueue, maker: MarketMaker): Promise<void> {
    await this.#stock(job, maker);
    const { taker, makers } = await matchParts(job, maker.account);
    const isSpoilt = attempt === 0 && job.result !== 'settles';
    const given = isSpoilt ? { ...taker, signature: spoilt(taker.signature) } : taker;
    const data = encodeFunctionData({
      abi: EXCHANGE_ABI,
      functionName: 'matchOrders',
      args: [given, makers, BigInt(job.fee)],
    });
    queue.enqueue(nameOf(job, attempt), { to: exchangeOf(job), data, isForced: isSpoilt });
  }

  /** The shares the market maker sells here, and those it sells in trades that have not landed. */
  async #stock(job: SettlementJob, maker: MarketMaker): Promise<void> {
    for (const tokenId of new Set(makerSales(job).map(({ order }) => order.tokenId))) {
      const promised = [...this.#open.values()]
        .filter(({ landedAt }) => landedAt === null)
        .flatMap((open) => makerSales(open.job))
        .filter(({ order }) => order.tokenId === tokenId);
      await maker.stock({
        conditionId: job.marketId as string as Hex,
        tokenId: BigInt(tokenId),
        micros: promised.reduce((sum, { shares }) => sum + BigInt(shares), 0n),
      }); // outcome-ids.ts made it: a condition id
    }
  }
}

function nameOf({ tradeId }: SettlementJob, attempt: number): string {
  return `${tradeId}:${attempt}`;
}

function makerSales({ taker, makers }: SettlementJob): readonly SettlementJob['taker'][] {
  return [taker, ...makers].filter(
    ({ order }) => isMakerOwner(order.owner) && order.side === 'sell',
  );
}

function isOver(transaction: QueuedTransaction | null): boolean {
  return transaction?.state === 'refused' || transaction?.state === 'reverted';
}

/** The status a trade comes to; null when it stays. */
function nextStatus(
  { job, status, attempt, landedAt }: Open,
  transaction: QueuedTransaction | null,
  chain: { readonly head: number; readonly isFinal: boolean },
): TradeStatus['status'] | null {
  if (landedAt !== null) {
    if (chain.head - landedAt + 1 >= CHAIN_VENUE.finalAfterBlocks)
      return status === 'MINED' ? 'CONFIRMED' : 'MINED';
    return status === 'MINED' ? null : 'MINED';
  }
  // The block that had it is gone: the same transaction comes again.
  if (status === 'MINED') return 'RETRYING';
  // A revert counts when no reorganisation can undo it: the same transaction might succeed beside
  // the next one.
  if (!isOver(transaction) || (transaction?.state === 'reverted' && !chain.isFinal)) return null;
  return job.result === 'fails' || attempt + 1 >= CHAIN_VENUE.attemptsMaximum
    ? 'FAILED'
    : 'RETRYING';
}

/** A signature by no key: the chain refuses it whoever checks. */
function spoilt(signature: Hex): Hex {
  return `0x${'11'.repeat((signature.length - 2) / 2)}`;
}
