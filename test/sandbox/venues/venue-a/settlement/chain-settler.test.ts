import { describe, expect, it } from 'vitest';
import { asId, type MarketId, type TradeId } from '../../../../../src/domain/ids.ts';
import { ChainSettler } from '../../../../../src/sandbox/venues/venue-a/settlement/chain-settler.ts';
import type { SettlementJob } from '../../../../../src/sandbox/engine/settler.ts';
import type { QueuedTransaction } from '../../../../../src/sandbox/chains/evm/account-queue.ts';

const TRADE = asId<TradeId>('trade-1');
const part = {
  order: { owner: 'a-user', side: 'buy' },
  shares: 1,
  usdc: 1,
} as SettlementJob['taker']; // what is not settled here is not looked at
const JOB: SettlementJob = {
  tradeId: TRADE,
  marketId: asId<MarketId>('0x1'),
  negRisk: false,
  result: 'retries',
  taker: part,
  makers: [],
  fee: 0,
};

function aTransaction(
  attempt: number,
  state: QueuedTransaction['state'],
  blockNumber: number,
): QueuedTransaction {
  return {
    id: `${TRADE}:${attempt}`,
    to: '0x',
    data: '0x',
    isForced: false,
    state,
    signed: { nonce: attempt, raw: '0x', hash: `0x${attempt}` },
    blockNumber,
    reason: null,
    updatedAtMs: 0,
  };
}

describe('the settler of trades on the chain', () => {
  it('goes on after a restart with the attempt that has landed, though an earlier one had failed', () => {
    const known = [aTransaction(0, 'reverted', 10), aTransaction(1, 'succeeded', 20)];
    const queue = {
      get: (id: string) => known.find((transaction) => transaction.id === id) ?? null,
      isFinal: () => false,
    };
    const settler = new ChainSettler();
    settler.settle(JOB, 'RETRYING');
    const read = (head: number, transactions: ReadonlyMap<string, number>) => {
      const carriers = settler.carriers(queue);
      const landed = new Map(
        [...transactions].flatMap(([hash, block]) =>
          carriers.has(hash) ? [[TRADE, block] as const] : [],
        ),
      );
      return settler
        .hear(queue, { landed, head, isAnew: transactions.size > 0 })
        .map(({ status, transactionHash }) => [status, transactionHash]);
    };
    // The first poll reads the whole chain, in which a reverted transaction tells nothing; the
    // second reads what is new.
    expect(read(20, new Map([['0x1', 20]]))).toEqual([['MINED', '0x1']]);
    expect(read(30, new Map())).toEqual([['CONFIRMED', '0x1']]);
    expect(settler.isBusy).toBe(false);
  });
});
