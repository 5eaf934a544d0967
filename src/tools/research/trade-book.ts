import { AGENT } from '../../../config/limits.ts';
import { RESEARCH } from '../../../config/limits/research.ts';
import type { Decision } from '../../domain/agent.ts';
import { takerFeeMicros } from '../../domain/fees.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { RoundView } from '../../domain/signal.ts';
import { defaultSettings } from '../../domain/settings.ts';
import type { RoundJudge } from '../../domain/strategy/round-judge.ts';
import type { StrategyRow } from '../../domain/strategy/strategy-row.ts';
import { signalStrength } from '../../domain/strategy/terms.ts';
import {
  costMicros,
  priceTicks,
  sharesFor,
  TICKS_PER_USD,
  usdcMicros,
  type PriceTicks,
  type ShareMicros,
} from '../../domain/units.ts';
import type { Moment } from './play-series.ts';
import type { SeriesRound } from './series.ts';
import { withPrediction, type StandIn } from './stand-ins.ts';

/** One entry of a strategy and what became of it. Money in USDC micros. */
export interface Trade {
  readonly round: SeriesRound;
  readonly outcome: OutcomeIndex;
  readonly atMs: number;
  /**
   * Signal strength of the bought side when the strategy decided; null where it was not known and
   * not asked for.
   */
  readonly strength: number | null;
  readonly price: PriceTicks;
  readonly shares: ShareMicros;
  readonly stakeMicros: number;
  readonly feesMicros: number;
  /** True when the bought side won the round, whether it was held so long or not. */
  readonly won: boolean;
  /** What a sale before the end brought; null when held. */
  readonly soldMicros: number | null;
  readonly profitMicros: number;
}

/** Rounds in which a strategy wanted to enter, whether or not it came to a trade. */
export interface Request {
  readonly round: SeriesRound;
  readonly outcome: OutcomeIndex;
  readonly strength: number | null;
  readonly atMs: number;
}

/** Trades of one strategy with one stand-in over one series. */
export interface TradeBook {
  readonly row: StrategyRow;
  readonly standIn: StandIn;
  /** Takes the next moment; moments of a series come in order. */
  see(moment: Moment): void;
  trades(): readonly Trade[];
  requests(): readonly Request[];
}

interface Position {
  readonly atMs: number;
  readonly price: PriceTicks;
  readonly shares: ShareMicros;
  readonly feeMicros: number;
  sale: { readonly bringsMicros: number; readonly feeMicros: number } | null;
}

interface RoundState {
  readonly round: SeriesRound;
  judge: RoundJudge;
  request: Request | null;
  /** True once a resting bid was taken back or ran out: a round is entered once. */
  isOver: boolean;
  position: Position | null;
}

/** Hears every verdict with what it was judged by. */
export type DecisionListener = (view: RoundView, decision: Decision) => void;

const STAKE = usdcMicros(RESEARCH.stakeMicros);

/**
 * Runs a row of the strategy table as its agent does: the first verdict to enter makes one order in
 * the round, a resting bid and a position are judged again at every later moment, and what is not
 * sold is paid by the outcome.
 */
export function openTradeBook(
  row: StrategyRow,
  standIn: StandIn,
  onDecision: DecisionListener = () => undefined,
): TradeBook {
  const fresh = row.judgeFor(defaultSettings({ agentId: row.agentId, rows: [row] }, AGENT));
  const states = new Map<string, RoundState>();
  return {
    row,
    standIn,
    see(moment) {
      const state = states.get(moment.round.slug) ?? {
        round: moment.round,
        judge: fresh,
        request: null,
        isOver: false,
        position: null,
      };
      states.set(moment.round.slug, state);
      const view = withPrediction(standIn, moment.round, moment.view);
      if (state.position !== null) review(row, state, view, onDecision);
      else if (state.request !== null) rest(row, state, view, onDecision);
      else enter(row, state, { ...moment, view }, onDecision);
      state.judge = state.judge.after(view);
    },
    trades: () => [...states.values()].flatMap(tradeOf),
    requests: () => [...states.values()].flatMap(({ request }) => request ?? []),
  };
}

function enter(
  row: StrategyRow,
  state: RoundState,
  { view, quotes }: Moment,
  onDecision: DecisionListener,
): void {
  const decision = state.judge.judge(view);
  onDecision(view, decision);
  const { verdict, outcome } = decision;
  if (verdict !== 'enter' || outcome === null) return;
  const request: Request = {
    round: state.round,
    outcome,
    strength: signalStrength(view, outcome),
    atMs: view.atMs,
  };
  if (row.order.kind === 'limit') {
    state.request = request;
    takeIfOffered(row.order.price, state, view, request, 'taker');
    return;
  }
  // What is bought has moved against us by the time the order fills. Without a whole stake on
  // offer, no share of it above the worst price, a fill-or-kill order comes to nothing, and the
  // next verdict tries again.
  const price = dearer(quotes?.buyPrices[outcome] ?? null);
  if (price === null || price > (row.order.worstPrice ?? price)) return;
  state.request = request;
  const shares = sharesFor(STAKE, price);
  state.position = {
    atMs: view.atMs,
    price,
    shares,
    feeMicros: takerFeeMicros(shares, price, view.market.fee),
    sale: null,
  };
}

/**
 * A bid that rests has no way to go any more: it is filled when the recorded ask has come down to
 * it, at its own price and without a taker's fee.
 */
function rest(
  { order }: StrategyRow,
  state: RoundState,
  view: RoundView,
  onDecision: DecisionListener,
): void {
  if (state.isOver || order.kind !== 'limit' || state.request === null) return;
  takeIfOffered(order.price, state, view, state.request, 'maker');
  if (state.position !== null) return;
  const decision = order.judge(view, state.request.outcome);
  onDecision(view, decision);
  state.isOver = decision.verdict === 'exit' || view.atMs - view.startsAtMs >= order.endsAfterMs;
}

function takeIfOffered(
  limit: PriceTicks,
  state: RoundState,
  { books, market, atMs }: RoundView,
  { outcome }: Request,
  role: 'taker' | 'maker',
): void {
  const offered = books[outcome]?.value.ask?.price ?? null;
  const ask = role === 'taker' ? dearer(offered) : offered;
  if (ask === null || ask > limit) return;
  const price = role === 'taker' ? ask : limit;
  const shares = sharesFor(STAKE, price);
  state.position = {
    atMs,
    price,
    shares,
    feeMicros: role === 'taker' ? takerFeeMicros(shares, price, market.fee) : 0,
    sale: null,
  };
}

function review(
  row: StrategyRow,
  { position, request }: RoundState,
  view: RoundView,
  onDecision: DecisionListener,
): void {
  if (position === null || position.sale !== null || request === null) return;
  const decision = row.judgeExit(view, request.outcome);
  onDecision(view, decision);
  const bid = cheaper(view.books[request.outcome]?.value.bid?.price ?? null);
  if (decision.verdict !== 'exit' || bid === null) return;
  position.sale = {
    bringsMicros: costMicros(position.shares, bid, 'floor'),
    feeMicros: takerFeeMicros(position.shares, bid, view.market.fee),
  };
}

/**
 * What an ask has become when the order reaches it (`RESEARCH.latencyTicks`); null where nothing is
 * left to sell below 1 USD.
 */
function dearer(ask: PriceTicks | null): PriceTicks | null {
  return ask === null || ask + RESEARCH.latencyTicks >= TICKS_PER_USD
    ? null
    : priceTicks(ask + RESEARCH.latencyTicks);
}

/** What a bid has become when the order reaches it; null without bids. */
function cheaper(bid: PriceTicks | null): PriceTicks | null {
  return bid === null || bid <= RESEARCH.latencyTicks
    ? null
    : priceTicks(bid - RESEARCH.latencyTicks);
}

function tradeOf({ round, request, position }: RoundState): readonly Trade[] {
  if (position === null || request === null) return [];
  const { atMs, price, shares, feeMicros, sale } = position;
  const { outcome, strength } = request;
  const won = outcome === round.winner;
  const stakeMicros = costMicros(shares, price, 'ceil');
  const feesMicros = feeMicros + (sale?.feeMicros ?? 0);
  const broughtMicros = sale === null ? (won ? shares : 0) : sale.bringsMicros;
  return [
    {
      round,
      outcome,
      atMs,
      strength,
      price,
      shares,
      stakeMicros,
      feesMicros,
      won,
      soldMicros: sale?.bringsMicros ?? null,
      profitMicros: broughtMicros - stakeMicros - feesMicros,
    },
  ];
}
