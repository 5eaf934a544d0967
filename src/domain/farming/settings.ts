import { readDecimalSetting } from '../decimal-setting.ts';
import type { FieldError } from '../errors.ts';
import type { UsdcMicros } from '../units.ts';
import { formatDecimal, formatMicros, MICROS_PER_UNIT, usdcMicros } from '../units.ts';

/** Settings that farming agents have beside the common ones (spec.md, Per-agent settings). */
export interface FarmSettings {
  readonly maxOpenPositions: number;
  /** Most USDC in positions of this agent, at cost, and its open buys. */
  readonly maxTotalExposure: UsdcMicros;
  /** Fall from the entry price at which a position is closed, in thousandths: 100 is 10 percent. */
  readonly stopLossPerMille: number;
}

/** Farming settings as people send and read them. */
export interface FarmSettingsView {
  readonly maxOpenPositions: number;
  readonly maxTotalExposure: string;
  readonly stopLossPercent: string;
}

/** Ranges and defaults of farming settings; the service takes them from the limits of the service. */
export interface FarmSettingRanges {
  readonly openPositionsDefault: number;
  readonly openPositionsMaximum: number;
  readonly totalExposureDefaultUsd: number;
  readonly totalExposureMaximumUsd: number;
  readonly stopLossDefaultPerMille: number;
  readonly stopLossMinimumPerMille: number;
  readonly stopLossMaximumPerMille: number;
}

/** Names of the farming settings. */
export const FARM_SETTING_NAMES = [
  'maxOpenPositions',
  'maxTotalExposure',
  'stopLossPercent',
] as const;
/** Name of a farming setting. */
export type FarmSettingName = (typeof FARM_SETTING_NAMES)[number];

/** Farming settings nobody has touched. */
export function defaultFarmSettings(ranges: FarmSettingRanges): FarmSettings {
  return {
    maxOpenPositions: ranges.openPositionsDefault,
    maxTotalExposure: usdcMicros(ranges.totalExposureDefaultUsd * MICROS_PER_UNIT),
    stopLossPerMille: ranges.stopLossDefaultPerMille,
  };
}

/** Writes farming settings as people read them. */
export function viewFarmSettings({
  maxOpenPositions,
  maxTotalExposure,
  stopLossPerMille,
}: FarmSettings): FarmSettingsView {
  return {
    maxOpenPositions,
    maxTotalExposure: formatMicros(maxTotalExposure),
    stopLossPercent: formatDecimal(stopLossPerMille, 1),
  };
}

/** Reads a patch of farming settings over the current ones; faults are told in `faults`, and what is faulty stays as it is. */
export function readFarmSettings(
  patch: Readonly<Record<string, unknown>>,
  current: FarmSettings,
  ranges: FarmSettingRanges,
  faults: FieldError[],
): FarmSettings {
  const read = (
    name: FarmSettingName,
    before: number,
    range: {
      readonly decimals: number;
      readonly low: number;
      readonly high: number;
      readonly wanted: string;
    },
  ): number => {
    const raw = patch[name];
    if (raw === undefined) return before;
    const value = readDecimalSetting(raw, range.decimals);
    if (value !== null && value >= range.low && value <= range.high) return value;
    faults.push({ path: `/${name}`, message: `must be ${range.wanted}` });
    return before;
  };
  return {
    maxOpenPositions: read('maxOpenPositions', current.maxOpenPositions, {
      decimals: 0,
      low: 1,
      high: ranges.openPositionsMaximum,
      wanted: `a whole number from 1 to ${ranges.openPositionsMaximum}`,
    }),
    maxTotalExposure: usdcMicros(
      read('maxTotalExposure', current.maxTotalExposure, {
        decimals: 6,
        low: MICROS_PER_UNIT,
        high: ranges.totalExposureMaximumUsd * MICROS_PER_UNIT,
        wanted: `a number of USD from 1 to ${ranges.totalExposureMaximumUsd} with at most 6 decimals`,
      }),
    ),
    stopLossPerMille: read('stopLossPercent', current.stopLossPerMille, {
      decimals: 1,
      low: ranges.stopLossMinimumPerMille,
      high: ranges.stopLossMaximumPerMille,
      wanted: `a percentage from ${ranges.stopLossMinimumPerMille / 10} to ${ranges.stopLossMaximumPerMille / 10} with at most 1 decimal`,
    }),
  };
}
