import { asId, type Address, type TradeId } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Hex } from '../../../src/ports/evm.ts';
import { isMakerOwner } from '../../../src/sandbox/engine/engine-state.ts';
import type { VenueModel } from '../../../src/sandbox/engine/exchange.ts';
import type {
  ChainBalance,
  ChainMovement,
  SettledPart,
  SettlementJob,
  TradeStatus,
  Settler,
} from '../../../src/sandbox/engine/settler.ts';
import { addressTopic, TRANSFER_TOPIC } from '../../../src/services/wallets/contract-calls.ts';
import {
  addressIn,
  EXCHANGE,
  hashOf,
  numberOf,
  transferLog,
} from '../../support/fakes/fake-chain-logs.ts';
import { REDEEMERS } from '../../support/worlds/money-world.ts';
import type { DayBlock, DayChain, LandedTransaction } from './day-chain.ts';

/**
 * The venue's end of a day's chain: it has users' trades settled there, and takes over what happens
 * to their Safes.
 */
export interface ChainVenue {
  readonly settler: Settler;
  /** Joins the venue, once it is deployed. */
  join(exchange: VenueModel): void;
  /** A Safe whose money is the venue's business from now on. */
  follow(safe: Address): void;
  /** True once no trade is on its way. */
  readonly isQuiet: boolean;
}

interface Open {
  readonly job: SettlementJob;
  /** Its transaction, and the block that has it. */
  hash: Hex;
  landedAt: number | null;
}

const CONFIRMATIONS = 3;
/** The venue sees that a transaction will never be carried out after this long. */
const FAILS_AFTER_MS = 8_000;
/** The oracle's report reaches the chain this long after the venue has published it. */
const REPORT_AFTER_MS = 5_000;

/** Makes the venue's end. */
export function createChainVenue(clock: Clock, chain: DayChain): ChainVenue {
  const { collateral } = chain.contracts;
  const open = new Map<TradeId, Open>();
  /** By the address in lower case, as balances are keyed. */
  const safes = new Map<string, Address>();
  const arriving: { readonly movement: ChainMovement; readonly landedAt: number }[] = [];
  let venue: VenueModel | null = null;
  const say = (
    words: readonly TradeStatus[],
    balances: readonly ChainBalance[] = [],
    movements: readonly ChainMovement[] = [],
  ): void => venue?.takeNews({ words, balances, movements });

  function attempt(job: SettlementJob, number: number): Hex {
    return chain.send((state, emit) => {
      const parts = [job.taker, ...job.makers];
      for (const part of parts) {
        if (isMakerOwner(part.order.owner)) continue;
        const usdc = BigInt(paidBy(part) + (part === job.taker ? job.fee : 0));
        const shares = BigInt(part.order.side === 'buy' ? part.shares : -part.shares);
        state.addToken(collateral, part.order.maker, -usdc);
        state.addShares(part.order.maker, part.order.tokenId, shares);
        emit(
          usdc > 0n
            ? transferLog(collateral, part.order.maker, { to: EXCHANGE, amount: usdc })
            : transferLog(collateral, EXCHANGE, { to: part.order.maker, amount: -usdc }),
        );
      }
      emit({
        address: EXCHANGE,
        topics: [hashOf('OrderFilled'), ...parts.map(({ order }) => addressTopic(order.maker))],
        data: '0x',
      });
    }, `settles ${job.tradeId} ${number}`);
  }

  function fail({ job, hash }: Open): void {
    open.delete(job.tradeId);
    say([{ tradeId: job.tradeId, status: 'FAILED', transactionHash: hash }]);
  }

  chain.onBlock((block) => {
    const words = [...open.values()].flatMap((trade) => wordOn(trade, block) ?? []);
    for (const { tradeId, status } of words) if (status === 'CONFIRMED') open.delete(tradeId);
    for (const hash of block.dropped)
      [...open.values()].filter((trade) => trade.hash === hash).forEach(fail);
    const balances = touchedBy(block.landed, safes).flatMap((safe) =>
      balancesOf(chain, venue, safe),
    );
    const movements = block.landed.flatMap((landed) =>
      movementsOf(landed, { chain, safes, venue }),
    );
    // What was promised may never come: it is reported once it is final.
    arriving.push(
      ...movements
        .filter(({ kind }) => kind === 'DEPOSIT')
        .map((movement) => ({ movement, landedAt: block.number })),
    );
    const arrived = arriving.filter(({ landedAt }) => block.number - landedAt + 1 >= CONFIRMATIONS);
    for (const deposit of arrived) arriving.splice(arriving.indexOf(deposit), 1);
    const reported = [
      ...movements.filter(({ kind }) => kind !== 'DEPOSIT'),
      ...arrived.map(({ movement }) => movement),
    ];
    if (words.length > 0 || balances.length > 0 || reported.length > 0)
      say(words, balances, reported);
  });

  chain.onTakenBack((first, gone) => {
    arriving.splice(0, arriving.length, ...arriving.filter(({ landedAt }) => landedAt < first));
    const words = [...open.values()]
      .filter(({ landedAt }) => landedAt !== null && landedAt >= first)
      .map((trade): TradeStatus => {
        trade.landedAt = null;
        return { tradeId: trade.job.tradeId, status: 'RETRYING', transactionHash: trade.hash };
      });
    say(
      words,
      touchedBy(gone, safes).flatMap((safe) => balancesOf(chain, venue, safe)),
    );
  });

  return {
    settler: {
      settle(job) {
        const trade: Open = { job, hash: hashOf(`settles ${job.tradeId} 0`), landedAt: null };
        open.set(job.tradeId, trade);
        if (job.result === 'settles') attempt(job, 0);
        else {
          clock.after(FAILS_AFTER_MS, () => {
            if (job.result === 'fails') return fail(trade);
            say([{ tradeId: job.tradeId, status: 'RETRYING', transactionHash: trade.hash }]);
            trade.hash = attempt(job, 1);
          });
        }
      },
    },
    join(exchange) {
      venue = exchange;
      exchange.subscribe((event) => {
        if (event.kind !== 'market_resolved') return;
        const { marketId, payoutTicks } = event;
        const tokens = exchange.market(marketId)?.tokens;
        if (tokens !== undefined)
          clock.after(REPORT_AFTER_MS, () =>
            chain.send(
              (state) =>
                void state.payouts.set(marketId, {
                  payouts: [BigInt(payoutTicks[0]), BigInt(payoutTicks[1])],
                  tokens,
                }),
            ),
          );
      });
    },
    follow: (safe) => void safes.set(safe.toLowerCase(), safe),
    get isQuiet() {
      return open.size === 0;
    },
  };
}

function paidBy({ order, usdc }: SettledPart): number {
  return order.side === 'buy' ? usdc : -usdc;
}

/** What a block says of a trade on its way. */
function wordOn(trade: Open, { number, landed }: DayBlock): TradeStatus | null {
  const word = { tradeId: trade.job.tradeId, transactionHash: trade.hash };
  if (trade.landedAt === null) {
    if (!landed.some(({ hash }) => hash === trade.hash)) return null;
    trade.landedAt = number;
    return { ...word, status: 'MINED' };
  }
  return number - trade.landedAt + 1 >= CONFIRMATIONS ? { ...word, status: 'CONFIRMED' } : null;
}

/** Safes that transfers in these transactions went to or came from. */
function touchedBy(
  landed: readonly LandedTransaction[],
  safes: ReadonlyMap<string, Address>,
): readonly Address[] {
  const names = landed.flatMap(({ logs }) =>
    logs.flatMap(({ address, topics: [, from, to] }) => [
      address,
      ...[from, to].flatMap((topic) => (topic === undefined ? [] : [addressIn(topic)])),
    ]),
  );
  return [...new Set(names.flatMap((name) => safes.get(name.toLowerCase()) ?? []))];
}

function balancesOf(
  { state, contracts }: DayChain,
  venue: VenueModel | null,
  safe: Address,
): readonly ChainBalance[] {
  const tokens = (venue?.markets() ?? []).flatMap((market) => market.tokens);
  return [
    { account: safe, holding: 'usdc', micros: Number(state.tokenOf(contracts.collateral, safe)) },
    ...tokens.map((token) => ({
      account: safe,
      holding: token,
      micros: Number(state.sharesOf(safe, token)),
    })),
  ];
}

/** What came to Safes, or left them, by another way than a trade. */
function movementsOf(
  { hash, logs }: LandedTransaction,
  {
    chain,
    safes,
    venue,
  }: {
    readonly chain: DayChain;
    readonly safes: ReadonlyMap<string, Address>;
    readonly venue: VenueModel | null;
  },
): readonly ChainMovement[] {
  if (logs.some(({ address }) => address === EXCHANGE)) return [];
  const { collateral } = chain.contracts;
  return logs.flatMap(({ address, topics: [name, from, to], data }): readonly ChainMovement[] => {
    if (address !== collateral || name !== TRANSFER_TOPIC || from === undefined || to === undefined)
      return [];
    const [payer, payee] = [addressIn(from), addressIn(to)];
    const micros = Number(numberOf(data));
    const [into, outOf] = [safes.get(payee.toLowerCase()), safes.get(payer.toLowerCase())];
    const shared = { usdcMicros: micros, sharesMicros: 0, tokenId: null, transactionHash: hash };
    if (outOf !== undefined) return [{ ...shared, kind: 'WITHDRAWAL', account: outOf }];
    if (into === undefined) return [];
    if (payer.toLowerCase() !== REDEEMERS.standard.toLowerCase())
      return [{ ...shared, kind: 'DEPOSIT', account: into }];
    return redeemedBy(venue, into).map(({ tokenId, shares }) => ({
      ...shared,
      kind: 'REDEEM',
      account: into,
      tokenId,
      sharesMicros: shares,
    }));
  });

  /** Tokens of markets that have paid, of which the venue still counts shares that are gone. */
  function redeemedBy(
    model: VenueModel | null,
    safe: Address,
  ): readonly { readonly tokenId: SettledPart['order']['tokenId']; readonly shares: number }[] {
    if (model === null) return [];
    return model.markets().flatMap(({ marketId, tokens }) =>
      tokens.flatMap((tokenId, outcome) => {
        const shares = model.sharesOf(asId<Address>(safe), tokenId);
        const isGone =
          shares > 0 &&
          (model.payout(marketId)?.[outcome] ?? 0) > 0 &&
          chain.state.sharesOf(safe, tokenId) === 0n;
        return isGone ? [{ tokenId, shares }] : [];
      }),
    );
  }
}
