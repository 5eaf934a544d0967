import { AGENT } from '../../../config/limits.ts';
import { RESEARCH } from '../../../config/research-limits.ts';
import { AGENT_PROFILES } from '../../domain/agent.ts';
import type { Decision } from '../../domain/agent.ts';
import { takerFeeMicros } from '../../domain/fees.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { RoundView } from '../../domain/signal.ts';
import { defaultSettings } from '../../domain/settings.ts';
import type { StrategyRow } from '../../domain/strategy/table.ts';
import { signalStrength } from '../../domain/strategy/terms.ts';
import type { PriceTicks, ShareMicros } from '../../domain/units.ts';
import { costMicros, sharesFor, usdcMicros } from '../../domain/units.ts';
import type { Moment } from './play-series.ts';
import type { SeriesRound } from './series.ts';
import type { StandIn } from './stand-ins.ts';
import { withPrediction } from './stand-ins.ts';

/** One entry of a strategy and what became of it. Money in USDC micros. */
export interface Trade {
  readonly round: SeriesRound;
  readonly outcome: OutcomeIndex;
  readonly atMs: number;
  /** Signal strength of the bought side when the strategy decided; null where the strategy reads none and none was known. */
  readonly strength: number | null;
  readonly price: PriceTicks;
  readonly shares: ShareMicros;
  readonly stakeMicros: number;
  readonly feesMicros: number;
  /** True when the bought side won the round, whether it was held so long or not. */
  readonly won: boolean;
  /** What was sold before the end, after its fee; null when held. */
  readonly soldMicros: number | null;
  readonly profitMicros: number;
}

/** Trades of one strategy with one stand-in over one series. */
export interface TradeBook {
  readonly row: StrategyRow;
  readonly standIn: StandIn;
  /** Takes the next moment; moments of a series come in order. */
  see(moment: Moment): void;
  /** What was traded, ended by how the rounds ended. */
  trades(): readonly Trade[];
  /** Rounds in which the strategy said enter, with or without a trade. */
  readonly signals: number;
}

interface Position {
  readonly outcome: OutcomeIndex;
  readonly atMs: number;
  readonly strength: number | null;
  readonly price: PriceTicks;
  readonly shares: ShareMicros;
  readonly feeMicros: number;
  sale: { readonly bringsMicros: number; readonly feeMicros: number } | null;
}

interface RoundState {
  readonly round: SeriesRound;
  wish: { readonly outcome: OutcomeIndex; readonly atMs: number; readonly strength: number | null } | null;
  position: Position | null;
}

const STAKE = usdcMicros(RESEARCH.stakeMicros);

/**
 * Runs a row of the strategy table as its agent does: the first verdict to enter makes one entry in the round, the position is
 * judged again at every later moment, and what is not sold is paid by the outcome. `onDecision` hears every verdict.
 */
export function openTradeBook(row: StrategyRow, standIn: StandIn, onDecision: (view: RoundView, decision: Decision) => void = () => undefined): TradeBook {
  const judge = row.judgeFor(defaultSettings(AGENT_PROFILES[row.agentId], AGENT));
  const states = new Map<string, RoundState>();
  let signals = 0;
  return {
    row, standIn,
    get signals() {
      return signals;
    },
    see(moment) {
      const state = states.get(moment.round.slug) ?? { round: moment.round, wish: null, position: null };
      states.set(moment.round.slug, state);
      const view = withPrediction(standIn, moment.round, moment.view);
      if (state.position !== null) return review(row, state.position, view, onDecision);
      if (state.wish === null) {
        const decision = judge(view);
        onDecision(view, decision);
        if (decision.verdict !== 'enter' || decision.outcome === null) return;
        signals += 1;
        state.wish = { outcome: decision.outcome, atMs: view.atMs, strength: signalStrength(view, decision.outcome) };
      }
      state.position = fillOf(moment, view, state.wish);
      if (state.position === null && row.order.kind === 'market') state.wish = null;
    },
    trades: () => [...states.values()].flatMap((state) => tradeOf(state)),
  };
}

/** A market order takes what a stake costs on the recorded book; without an ask there is no trade, and the next verdict tries again. */
function fillOf({ quotes }: Moment, { market, atMs }: RoundView, { outcome, strength }: NonNullable<RoundState['wish']>): Position | null {
  const price = quotes?.buyPrices[outcome] ?? null;
  if (price === null) return null;
  const shares = sharesFor(STAKE, price);
  return { outcome, atMs, strength, price, shares, feeMicros: takerFeeMicros(shares, price, market.fee), sale: null };
}

function review(row: StrategyRow, position: Position, view: RoundView, onDecision: (view: RoundView, decision: Decision) => void): void {
  if (position.sale !== null) return;
  const decision = row.judgeExit(view, position.outcome);
  onDecision(view, decision);
  const bid = view.books[position.outcome]?.value.bid?.price ?? null;
  if (decision.verdict !== 'exit' || bid === null) return;
  position.sale = { bringsMicros: costMicros(position.shares, bid, 'floor'), feeMicros: takerFeeMicros(position.shares, bid, view.market.fee) };
}

function tradeOf({ round, position }: RoundState): readonly Trade[] {
  if (position === null) return [];
  const { outcome, atMs, strength, price, shares, feeMicros, sale } = position;
  const won = outcome === round.winner;
  const stakeMicros = costMicros(shares, price, 'ceil');
  const feesMicros = feeMicros + (sale?.feeMicros ?? 0);
  const broughtMicros = sale === null ? (won ? shares : 0) : sale.bringsMicros;
  return [{ round, outcome, atMs, strength, price, shares, stakeMicros, feesMicros, won, soldMicros: sale?.bringsMicros ?? null, profitMicros: broughtMicros - stakeMicros - feesMicros }];
}
