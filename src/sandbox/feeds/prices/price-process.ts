import type { Asset } from '../../../domain/ids.ts';
import { normalCdf } from '../../../domain/probability.ts';
import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import { AGAINST_BTC, BTC_MOVES, STARTING_PRICES } from '../../calibration/calibration.ts';
import { hashedNormal, hashedUniform } from '../../hashed-chance.ts';
import { INNOVATION_LEVELS, SCALE_BLOCK_SECONDS } from '../../calibration/move-figures.ts';
import { ASSETS, type SettlementPrices } from './settlement-prices.ts';

/** Everything the process needs to go on from a second: small, plain JSON. */
export interface PriceState {
  readonly second: number;
  readonly logScale: number;
  readonly logPrices: readonly number[];
  readonly returns: readonly number[];
}

/** Settlement prices drawn from a seed. */
export interface PriceProcess extends SettlementPrices {
  /**
   * A state at or before `second` from which the same prices follow; the newest such hour, or the
   * start.
   */
  checkpoint(second: number): PriceState;
}

const SCALE_STREAM = 1;
const SHOCK_STREAM = 2;
const DIGIT_STREAM = 100;

/**
 * Makes the price process: the price at a second follows from the seed and the second alone, given
 * the start. Moves have the fitted memory, volatility and jumps of `calibration.ts`; assets move
 * together as they did in the recordings. Steps are made when they are asked for, so a stopped
 * world is wound forward by asking.
 */
export function createPriceProcess(seed: number, start: PriceState): PriceProcess {
  const kept = SANDBOX.priceSecondsKept;
  const history = ASSETS.map(() => new Float64Array(kept));
  let state: PriceState = start;
  const checkpoints: PriceState[] = [start];
  remember(history, state);

  function advanceTo(second: number): void {
    while (state.second < second) {
      state = stepped(seed, state);
      remember(history, state);
      if (state.second % SANDBOX.priceCheckpointSeconds === 0) {
        checkpoints.push(state);
        if (checkpoints.length * SANDBOX.priceCheckpointSeconds > kept) checkpoints.shift();
      }
    }
  }

  function logPriceAt(asset: Asset, second: number): number | null {
    if (second < start.second || !Number.isSafeInteger(second)) return null;
    advanceTo(second);
    return second <= state.second - kept
      ? null
      : (history[ASSETS.indexOf(asset)]?.[second % kept] ?? null);
  }

  return {
    at(asset, second) {
      const logPrice = logPriceAt(asset, second);
      if (logPrice === null) return null;
      const digits = Math.floor(
        hashedUniform(seed, DIGIT_STREAM + ASSETS.indexOf(asset), second) * 1e10,
      );
      return BigInt(Math.round(Math.exp(logPrice) * 1e8)) * 10_000_000_000n + BigInt(digits);
    },
    valueAt(asset, second) {
      const logPrice = logPriceAt(asset, second);
      return logPrice === null ? null : Math.exp(logPrice);
    },
    checkpoint: (second) => checkpoints.findLast((saved) => saved.second <= second) ?? start,
  };
}

/** The state of a fresh world at `second`: the recorded starting prices and the mean volatility. */
export function startingPrices(second: number): PriceState {
  return {
    second,
    logScale: BTC_MOVES.logScaleMean,
    logPrices: ASSETS.map((asset) => Math.log(STARTING_PRICES[asset])),
    returns: ASSETS.map(() => 0),
  };
}

function remember(history: readonly Float64Array[], state: PriceState): void {
  history.forEach((prices, index) => {
    prices[state.second % prices.length] = state.logPrices[index] ?? Number.NaN;
  });
}

function stepped(seed: number, before: PriceState): PriceState {
  const second = before.second + 1;
  const logScale =
    second % SCALE_BLOCK_SECONDS === 0
      ? nextLogScale(seed, before.logScale, second)
      : before.logScale;
  const scale = Math.exp(logScale);
  const shared = hashedNormal(seed, SHOCK_STREAM, second);
  const returns = ASSETS.map((asset, index) => {
    const { ratio, correlation } = AGAINST_BTC[asset];
    const own = correlation === 1 ? 0 : hashedNormal(seed, SHOCK_STREAM + 1 + index, second);
    const shock = correlation * shared + Math.sqrt(1 - correlation * correlation) * own;
    return (
      BTC_MOVES.returnLag1 * (before.returns[index] ?? 0) +
      scale * ratio * innovation(normalCdf(shock))
    );
  });
  return {
    second,
    logScale,
    returns,
    logPrices: returns.map((move, index) => (before.logPrices[index] ?? 0) + move),
  };
}

function nextLogScale(seed: number, before: number, second: number): number {
  const { logScaleMean, logScaleSpread, logScaleLag1 } = BTC_MOVES;
  const fresh =
    Math.sqrt(1 - logScaleLag1 * logScaleLag1) *
    logScaleSpread *
    hashedNormal(seed, SCALE_STREAM, second);
  return logScaleMean + logScaleLag1 * (before - logScaleMean) + fresh;
}

/** Size and sign of a move from a uniform number: the recorded sizes, either way alike. */
function innovation(uniform: number): number {
  const level = Math.abs(uniform - 0.5) * 2;
  const sizes = BTC_MOVES.innovationQuantiles;
  let upper = 1;
  while (upper < INNOVATION_LEVELS.length - 1 && (INNOVATION_LEVELS[upper] ?? 1) < level)
    upper += 1;
  const [fromLevel, toLevel] = [INNOVATION_LEVELS[upper - 1] ?? 0, INNOVATION_LEVELS[upper] ?? 1];
  const [from, to] = [sizes[upper - 1] ?? 0, sizes[upper] ?? 0];
  const size = from + ((to - from) * (level - fromLevel)) / (toLevel - fromLevel);
  return uniform < 0.5 ? -size : size;
}
