import { readDecimalSetting } from '../decimal-setting.ts';
import type { FieldError } from '../errors.ts';
import {
  formatDecimal,
  formatMicros,
  MICROS_PER_UNIT,
  usdcMicros,
  type UsdcMicros,
} from '../units.ts';
import type { FarmSettingName } from './setting-names.ts';
import type { FarmVenue } from './venues.ts';
import type { FarmWindow } from './window.ts';

/**
 * Settings that farming agents have beside the common ones (spec.md, Per-agent settings). What an
 * agent's row does not name is absent.
 */
export interface FarmSettings {
  readonly maxOpenPositions: number;
  /** Most USDC in positions of this agent, at cost, and its open buys. */
  readonly maxTotalExposure?: UsdcMicros;
  /** Most USDC this agent may lose in a UTC day, all that it has at risk counted as lost. */
  readonly maxDailyLoss?: UsdcMicros;
  /** Which markets its user wants. */
  readonly window?: FarmWindow;
  /** Fall from the entry price at which a position is closed, in thousandths: 100 is 10 percent. */
  readonly stopLossPerMille: number;
}

/** Farming settings as people send and read them. */
export type FarmSettingsView = {
  readonly [Name in Exclude<FarmSettingName, 'maxOpenPositions' | 'maxHoursToExpiry'>]?: string;
} & { readonly maxOpenPositions: number; readonly maxHoursToExpiry?: number };

/**
 * Ranges and defaults of farming settings; the service takes them from the limits of the service.
 * Those of the window are the row's.
 */
export interface FarmSettingRanges {
  readonly openPositionsDefault: number;
  readonly openPositionsMaximum: number;
  readonly totalExposureDefaultUsd: number;
  readonly totalExposureMaximumUsd: number;
  readonly dailyLossDefaultUsd: number;
  readonly dailyLossMaximumUsd: number;
  readonly probabilityMinimumTicks: number;
  readonly probabilityMaximumTicks: number;
  readonly endsWithinHoursMaximum: number;
  readonly stopLossDefaultPerMille: number;
  readonly stopLossMinimumPerMille: number;
  readonly stopLossMaximumPerMille: number;
}

/** Decimals of a probability in percent: a tick is a hundredth of a percent. */
const PERCENT_DECIMALS = 2;

/** Returns untouched farming settings. */
export function defaultFarmSettings(
  ranges: FarmSettingRanges,
  { settings, filters }: Pick<FarmVenue, 'settings' | 'filters'>,
): FarmSettings {
  const { probabilityMinimumTicks, probabilityMaximumTicks, endsWithinHours } = filters;
  return {
    maxOpenPositions: ranges.openPositionsDefault,
    stopLossPerMille: ranges.stopLossDefaultPerMille,
    ...(settings.includes('maxTotalExposure')
      ? { maxTotalExposure: usd(ranges.totalExposureDefaultUsd) }
      : {}),
    ...(settings.includes('maxDailyLoss') ? { maxDailyLoss: usd(ranges.dailyLossDefaultUsd) } : {}),
    ...(settings.includes('minProbabilityPercent')
      ? {
          window: {
            probabilityMinimumTicks,
            probabilityMaximumTicks,
            endsWithinHours: endsWithinHours ?? ranges.endsWithinHoursMaximum,
          },
        }
      : {}),
  };
}

/** Writes farming settings as people read them. */
export function viewFarmSettings({
  maxOpenPositions,
  maxTotalExposure,
  maxDailyLoss,
  window,
  stopLossPerMille,
}: FarmSettings): FarmSettingsView {
  return {
    maxOpenPositions,
    ...(maxTotalExposure === undefined ? {} : { maxTotalExposure: formatMicros(maxTotalExposure) }),
    ...(maxDailyLoss === undefined ? {} : { maxDailyLoss: formatMicros(maxDailyLoss) }),
    ...(window === undefined
      ? {}
      : {
          minProbabilityPercent: percent(window.probabilityMinimumTicks),
          maxProbabilityPercent: percent(window.probabilityMaximumTicks),
          maxHoursToExpiry: window.endsWithinHours,
        }),
    stopLossPercent: formatDecimal(stopLossPerMille, 1),
  };
}

interface SettingRange {
  readonly decimals: number;
  readonly low: number;
  readonly high: number;
  readonly wanted: string;
}

/**
 * Reads a patch of farming settings over the current ones; faults are listed in `faults`, and what
 * is faulty stays as it is.
 */
export function readFarmSettings(
  patch: Readonly<Record<string, unknown>>,
  current: FarmSettings,
  ranges: FarmSettingRanges,
  faults: FieldError[],
): FarmSettings {
  const read = (name: FarmSettingName, before: number, range: SettingRange): number => {
    const raw = patch[name];
    if (raw === undefined) return before;
    const value = readDecimalSetting(raw, range.decimals);
    if (value !== null && value >= range.low && value <= range.high) return value;
    faults.push({ path: `/${name}`, message: `must be ${range.wanted}` });
    return before;
  };
  const { maxTotalExposure, maxDailyLoss, window } = current;
  return {
    maxOpenPositions: read('maxOpenPositions', current.maxOpenPositions, {
      decimals: 0,
      low: 1,
      high: ranges.openPositionsMaximum,
      wanted: `a whole number from 1 to ${ranges.openPositionsMaximum}`,
    }),
    ...(maxTotalExposure === undefined
      ? {}
      : {
          maxTotalExposure: usdcMicros(
            read('maxTotalExposure', maxTotalExposure, dollars(ranges.totalExposureMaximumUsd)),
          ),
        }),
    ...(maxDailyLoss === undefined
      ? {}
      : {
          maxDailyLoss: usdcMicros(
            read('maxDailyLoss', maxDailyLoss, dollars(ranges.dailyLossMaximumUsd)),
          ),
        }),
    ...(window === undefined
      ? {}
      : { window: readWindow(patch, window, { ranges, read, faults }) }),
    stopLossPerMille: read('stopLossPercent', current.stopLossPerMille, {
      decimals: 1,
      low: ranges.stopLossMinimumPerMille,
      high: ranges.stopLossMaximumPerMille,
      wanted: `a percentage from ${ranges.stopLossMinimumPerMille / 10} to ${ranges.stopLossMaximumPerMille / 10} with at most 1 decimal`,
    }),
  };
}

function readWindow(
  patch: Readonly<Record<string, unknown>>,
  current: FarmWindow,
  {
    ranges,
    read,
    faults,
  }: {
    readonly ranges: FarmSettingRanges;
    readonly read: (name: FarmSettingName, before: number, range: SettingRange) => number;
    readonly faults: FieldError[];
  },
): FarmWindow {
  const [low, high] = [ranges.probabilityMinimumTicks, ranges.probabilityMaximumTicks];
  const range = {
    decimals: PERCENT_DECIMALS,
    low,
    high,
    wanted: `a percentage from ${percent(low)} to ${percent(high)} with at most ${PERCENT_DECIMALS} decimals`,
  };
  const before = faults.length;
  const window = {
    probabilityMinimumTicks: read('minProbabilityPercent', current.probabilityMinimumTicks, range),
    probabilityMaximumTicks: read('maxProbabilityPercent', current.probabilityMaximumTicks, range),
    endsWithinHours: read('maxHoursToExpiry', current.endsWithinHours, {
      decimals: 0,
      low: 1,
      high: ranges.endsWithinHoursMaximum,
      wanted: `a whole number of hours from 1 to ${ranges.endsWithinHoursMaximum}`,
    }),
  };
  if (faults.length === before && window.probabilityMinimumTicks > window.probabilityMaximumTicks)
    faults.push(
      patch['minProbabilityPercent'] === undefined
        ? {
            path: '/maxProbabilityPercent',
            message: `must be at least minProbabilityPercent, which is ${percent(window.probabilityMinimumTicks)} here`,
          }
        : {
            path: '/minProbabilityPercent',
            message: `must be at most maxProbabilityPercent, which is ${percent(window.probabilityMaximumTicks)} here`,
          },
    );
  return window;
}

function dollars(maximumUsd: number): SettingRange {
  return {
    decimals: 6,
    low: MICROS_PER_UNIT,
    high: maximumUsd * MICROS_PER_UNIT,
    wanted: `a number of USD from 1 to ${maximumUsd} with at most 6 decimals`,
  };
}

function percent(ticks: number): string {
  return formatDecimal(ticks, PERCENT_DECIMALS);
}

function usd(whole: number): UsdcMicros {
  return usdcMicros(whole * MICROS_PER_UNIT);
}
