import { SANDBOX } from '../../config/limits/sandbox.ts';
import { createSeededRandom } from '../adapters/random/seeded-random.ts';
import type { Clock } from '../ports/clock.ts';
import { createFaultBoard, FAULTS, isFaultName, type FaultBoard } from './faults.ts';
import { createExchangePrices, type ExchangePrices } from './feeds/prices/exchange-prices.ts';
import {
  createInferenceModel,
  type InferenceTopic,
  type NetworkInference,
} from './feeds/prices/inference-model.ts';
import type { SettlementPrices } from './feeds/prices/settlement-prices.ts';
import type { WorldRules } from './world-settings.ts';

/** What the venues of a world have in common: its time, its prices and its faults. */
export interface SharedModel {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly prices: SettlementPrices;
  readonly quotes: ExchangePrices;
  infer(topic: InferenceTopic, nowSecond: number): NetworkInference | null;
}

/** Creates it, its faults armed. Throws a RangeError for an unknown fault. */
export function createSharedModel({
  clock,
  seed,
  prices,
  inferenceSkill = SANDBOX.inferenceSkillPercent / 100,
  faults: armed = [],
}: Pick<WorldRules, 'seed' | 'inferenceSkill' | 'faults'> &
  Pick<SharedModel, 'clock' | 'prices'>): SharedModel {
  const faults = createFaultBoard(createSeededRandom(`${seed}:faults:${clock.nowMs()}`));
  armAll(faults, armed);
  return {
    clock,
    faults,
    prices,
    quotes: createExchangePrices(seed, prices),
    infer: createInferenceModel({ seed, prices, skill: inferenceSkill }),
  };
}

/** Arms faults written as `name` or `name:times`. */
function armAll(faults: FaultBoard, written: readonly string[]): void {
  for (const text of written) {
    const [name = '', times] = text.split(':');
    if (!isFaultName(name) || (times !== undefined && !/^[1-9]\d{0,5}$/.test(times)))
      throw new RangeError(
        `not a fault of the sandbox: ${text}; a fault is written name or name:times, and the names are ${Object.keys(FAULTS).join(', ')}.`,
      );
    faults.arm(name, times === undefined ? {} : { times: Number(times) });
  }
}
