import type { AgentSettings, StrategyId } from './agent.ts';
import { readDecimalSetting } from './decimal-setting.ts';
import { AppError, assert, type FieldError } from './errors.ts';
import type { FarmSettingName } from './farming/setting-names.ts';
import {
  defaultFarmSettings,
  readFarmSettings,
  viewFarmSettings,
  type FarmSettingRanges,
  type FarmSettingsView,
} from './farming/settings.ts';
import { farmRuleOf } from './farming/rule.ts';
import { farmVenueOf } from './farming/venues.ts';
import type { AgentId } from './ids.ts';
import { ruleOf, type StrategySetting, type StrategyTable } from './strategy/strategy-row.ts';
import {
  formatDecimal,
  formatMicros,
  MICROS_PER_UNIT,
  usdcMicros,
  type UsdcMicros,
} from './units.ts';

/** Ranges and defaults of the settings; the service takes them from the limits of the operator. */
export interface SettingRanges {
  readonly sizeMinimumUsd: number;
  readonly sizeMaximumUsd: number;
  readonly sizeDefaultUsd: number;
  readonly minimumSizeDefaultUsd: number;
  readonly inferenceDifferenceDefaultMicros: number;
  readonly inferenceDifferenceMaximumMicros: number;
  readonly farming: FarmSettingRanges;
}

/**
 * Settings as people send and read them, by the names of the spec. Sizes in USD, the difference in
 * percent of price.
 */
export interface SettingsView extends Partial<FarmSettingsView> {
  readonly minPositionSize: string;
  readonly avgPositionSize: string;
  readonly maxPositionSize: string;
  readonly strategy: StrategyId;
  readonly notifyOnTrade: boolean;
  /** Only of strategies that read it. */
  readonly inferenceDifferencePercent?: string;
}

/**
 * Decimals of the inference difference in percent: agents with one threshold share one signal, so
 * thresholds are few.
 */
const DIFFERENCE_DECIMALS = 2;
/** Millionths in one step of a hundredth of a percent. */
const MICROS_PER_DIFFERENCE_STEP = 100;

/** An agent's strategies, the default one first: what its settings may say depends on them. */
export interface AgentChoices {
  readonly agentId: AgentId;
  readonly rows: readonly {
    readonly strategy: StrategyId;
    readonly reads: readonly (StrategySetting | FarmSettingName)[];
  }[];
}

/** What farming agents do, the only thing they do. */
const FARMING_STRATEGY = 'high_probability';

/** By what each strategy of an agent enters and leaves under a user's settings, for people. */
export function rulesOf(
  strategies: Pick<StrategyTable, 'of'>,
  agentId: AgentId,
  { farming }: Pick<AgentSettings, 'farming'>,
): readonly { readonly strategy: StrategyId; readonly rule: string }[] {
  const farm = farmVenueOf(agentId);
  return farm === null || farming === undefined
    ? strategies.of(agentId).map((row) => ({ strategy: row.strategy, rule: ruleOf(row) }))
    : [{ strategy: FARMING_STRATEGY, rule: farmRuleOf(farm, farming) }];
}

/** The strategies of an agent: a farming agent has its one, others those of the table. */
export function choicesOf(strategies: Pick<StrategyTable, 'of'>, agentId: AgentId): AgentChoices {
  const farm = farmVenueOf(agentId);
  return {
    agentId,
    rows:
      farm === null
        ? strategies.of(agentId)
        : [{ strategy: FARMING_STRATEGY, reads: farm.settings }],
  };
}

/** Untouched settings of an agent. It has at least one strategy. */
export function defaultSettings(
  { agentId, rows }: AgentChoices,
  ranges: SettingRanges,
): AgentSettings {
  const [first] = rows;
  assert(first !== undefined, `${agentId} has a strategy`);
  const farm = farmVenueOf(agentId);
  return {
    minPositionSize: usd(ranges.minimumSizeDefaultUsd),
    avgPositionSize: usd(ranges.sizeDefaultUsd),
    maxPositionSize: usd(ranges.sizeDefaultUsd),
    strategy: first.strategy,
    inferenceDifferenceMicros: ranges.inferenceDifferenceDefaultMicros,
    notifyOnTrade: true,
    ...(farm === null ? {} : { farming: defaultFarmSettings(ranges.farming, farm) }),
  };
}

/** True when the agent's strategy of this name reads the setting. */
function readsSetting(
  { rows }: AgentChoices,
  strategy: StrategyId,
  setting: StrategySetting,
): boolean {
  return rows.some((row) => row.strategy === strategy && row.reads.includes(setting));
}

/** Writes settings as people read them. */
export function viewSettings(settings: AgentSettings, choices: AgentChoices): SettingsView {
  return {
    minPositionSize: formatMicros(settings.minPositionSize),
    avgPositionSize: formatMicros(settings.avgPositionSize),
    maxPositionSize: formatMicros(settings.maxPositionSize),
    strategy: settings.strategy,
    notifyOnTrade: settings.notifyOnTrade,
    ...(readsSetting(choices, settings.strategy, 'inferenceDifferencePercent')
      ? {
          inferenceDifferencePercent: formatDecimal(
            settings.inferenceDifferenceMicros / MICROS_PER_DIFFERENCE_STEP,
            DIFFERENCE_DECIMALS,
          ),
        }
      : {}),
    ...(settings.farming === undefined ? {} : viewFarmSettings(settings.farming)),
  };
}

/**
 * Reads a patch of settings over the current ones. Nothing is dropped and nothing half taken.
 * Errors: `unknown_setting` for keys the agent, with the strategy it then has, does not read;
 * `setting_out_of_range` for values of the wrong kind or out of range. Both name every fault with
 * its path. The smallest and the largest size are limits: nothing but a value sent for them changes
 * them, and sizes that do not keep min ≤ avg ≤ max with them are refused. Only the average, where
 * it is not sent, moves into limits that are.
 */
export function parseSettings(
  patch: Readonly<Record<string, unknown>>,
  current: AgentSettings,
  choices: AgentChoices,
  ranges: SettingRanges,
): AgentSettings {
  refuseUnknown(patch, current, choices);
  const faults: FieldError[] = [];
  const sizes = readSizes(patch, current, ranges, faults);
  const settings: AgentSettings = {
    ...sizes,
    strategy: readStrategy(patch['strategy'], current.strategy, choices, faults),
    inferenceDifferenceMicros: readDifference(
      patch['inferenceDifferencePercent'],
      current.inferenceDifferenceMicros,
      ranges,
      faults,
    ),
    notifyOnTrade: readFlag(patch['notifyOnTrade'], current.notifyOnTrade, faults),
    ...(current.farming === undefined
      ? {}
      : { farming: readFarmSettings(patch, current.farming, ranges.farming, faults) }),
  };
  if (faults.length > 0)
    throw new AppError('setting_out_of_range', sentenceOf(faults), { fields: faults });
  return settings;
}

const SIZE_NAMES = ['minPositionSize', 'avgPositionSize', 'maxPositionSize'] as const;
type SizeName = (typeof SIZE_NAMES)[number];
type Sizes = Readonly<Record<SizeName, UsdcMicros>>;
/** Most faults named in one sentence; `fields` names them all. */
const FAULTS_LISTED = 8;

/**
 * What a strategy does not read is refused; with an unknown strategy, what any of them reads is
 * not the fault to name.
 */
function refuseUnknown(
  patch: Readonly<Record<string, unknown>>,
  current: AgentSettings,
  { agentId, rows }: AgentChoices,
): void {
  const asked = patch['strategy'] ?? current.strategy;
  const chosen = rows.filter((row) => row.strategy === asked);
  const read = (chosen.length === 0 ? rows : chosen).flatMap(({ reads }) => reads);
  const known: readonly string[] = [...SIZE_NAMES, 'strategy', 'notifyOnTrade', ...new Set(read)];
  const owner = chosen.length === 0 ? agentId : `${agentId} with strategy ${chosen[0]?.strategy}`;
  const unknown = Object.keys(patch).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const fields = unknown.map((key) => ({
    path: pointer(key),
    message: `is not a setting of ${owner}; it has ${known.join(', ')}`,
  }));
  throw new AppError('unknown_setting', sentenceOf(fields), { fields });
}

function readSizes(
  patch: Readonly<Record<string, unknown>>,
  current: AgentSettings,
  ranges: SettingRanges,
  faults: FieldError[],
): Sizes {
  const before = faults.length;
  const sizes: Sizes = {
    minPositionSize: readSize('minPositionSize', patch, current, ranges, faults),
    avgPositionSize: readSize('avgPositionSize', patch, current, ranges, faults),
    maxPositionSize: readSize('maxPositionSize', patch, current, ranges, faults),
  };
  if (faults.length > before) return sizes;
  return fitted(sizes, patch, faults);
}

/** The sizes in order, the average moved into the limits where it was not sent; else faults. */
function fitted(
  sizes: Sizes,
  patch: Readonly<Record<string, unknown>>,
  faults: FieldError[],
): Sizes {
  const { minPositionSize: min, maxPositionSize: max } = sizes;
  const isSent = (name: SizeName) => patch[name] !== undefined;
  const asked = isSent('avgPositionSize')
    ? sizes.avgPositionSize
    : usdcMicros(Math.max(min, Math.min(sizes.avgPositionSize, max)));
  const ordered = { ...sizes, avgPositionSize: asked };
  const pairs: readonly (readonly [SizeName, SizeName])[] = isSent('avgPositionSize')
    ? [
        ['minPositionSize', 'avgPositionSize'],
        ['avgPositionSize', 'maxPositionSize'],
      ]
    : [['minPositionSize', 'maxPositionSize']];
  for (const [lower, higher] of pairs) {
    if (ordered[lower] <= ordered[higher]) continue;
    // at a field that was sent: of two, the lower
    faults.push(
      isSent(lower)
        ? fitFault(lower, 'at most', higher, ordered)
        : fitFault(higher, 'at least', lower, ordered),
    );
  }
  return ordered;
}

function fitFault(
  name: SizeName,
  bound: 'at most' | 'at least',
  other: SizeName,
  sizes: Sizes,
): FieldError {
  return {
    path: pointer(name),
    message: `must be ${bound} ${other}, which is ${formatMicros(sizes[other])} USD here`,
  };
}

/** All faults in one sentence, each with the name of its field. */
function sentenceOf(faults: readonly FieldError[]): string {
  return faults
    .slice(0, FAULTS_LISTED)
    .map(({ path, message }) => `${path.slice(1)}: ${message}`)
    .join('; ');
}

function readSize(
  name: SizeName,
  patch: Readonly<Record<string, unknown>>,
  current: AgentSettings,
  ranges: SettingRanges,
  faults: FieldError[],
): UsdcMicros {
  const raw = patch[name];
  if (raw === undefined) return current[name];
  const micros = readDecimalSetting(raw, 6);
  if (
    micros !== null &&
    micros >= usd(ranges.sizeMinimumUsd) &&
    micros <= usd(ranges.sizeMaximumUsd)
  )
    return usdcMicros(micros);
  faults.push({
    path: pointer(name),
    message: `must be a number of USD from ${ranges.sizeMinimumUsd} to ${ranges.sizeMaximumUsd} with at most 6 decimals`,
  });
  return current[name];
}

function readStrategy(
  raw: unknown,
  current: StrategyId,
  { rows }: AgentChoices,
  faults: FieldError[],
): StrategyId {
  if (raw === undefined) return current;
  const row = rows.find(({ strategy }) => strategy === raw);
  if (row !== undefined) return row.strategy;
  faults.push({
    path: '/strategy',
    message: `must be one of: ${rows.map(({ strategy }) => strategy).join(', ')}`,
  });
  return current;
}

function readDifference(
  raw: unknown,
  current: number,
  ranges: SettingRanges,
  faults: FieldError[],
): number {
  if (raw === undefined) return current;
  const steps = readDecimalSetting(raw, DIFFERENCE_DECIMALS);
  const micros = steps === null ? null : steps * MICROS_PER_DIFFERENCE_STEP;
  if (micros !== null && micros <= ranges.inferenceDifferenceMaximumMicros) return micros;
  faults.push({
    path: '/inferenceDifferencePercent',
    message: `must be a percentage from 0 to ${ranges.inferenceDifferenceMaximumMicros / 10_000} with at most ${DIFFERENCE_DECIMALS} decimals`,
  });
  return current;
}

function readFlag(raw: unknown, current: boolean, faults: FieldError[]): boolean {
  if (raw === undefined || typeof raw === 'boolean') return raw ?? current;
  faults.push({ path: '/notifyOnTrade', message: 'must be true or false' });
  return current;
}

/** JSON pointer of a top-level key (RFC 6901), cut to a readable length. */
function pointer(key: string): string {
  return `/${key.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function usd(whole: number): UsdcMicros {
  return usdcMicros(whole * MICROS_PER_UNIT);
}
