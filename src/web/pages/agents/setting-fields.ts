/**
 * Fields by the daemon's own names, with what they are called here and what they are counted in:
 * before the number, after it.
 */
export const SETTING_FIELDS = [
  ['minPositionSize', 'Smallest trade', '$', ''],
  ['avgPositionSize', 'Usual trade', '$', ''],
  ['maxPositionSize', 'Largest trade', '$', ''],
  ['maxOpenPositions', 'Open positions, at most', '', ''],
  ['maxTotalExposure', 'In all positions, at most', '$', ''],
  ['maxDailyLoss', 'Loss of a day, at most', '$', ''],
  ['minProbabilityPercent', 'Chance, at least', '', '%'],
  ['maxProbabilityPercent', 'Chance, at most', '', '%'],
  ['maxHoursToExpiry', 'Hours to the end, at most', '', 'h'],
  ['stopLossPercent', 'Sells after a fall of', '', '%'],
  ['inferenceDifferencePercent', 'Difference of the prediction, at least', '', '%'],
] as const;

/** A fault of a setting that names other settings as the page does; null without a fault. */
export function settingFault(fault: string | null): string | null {
  return SETTING_FIELDS.reduce<string | null>(
    (text, [field, label]) => text?.replaceAll(field, `“${label}”`) ?? null,
    fault,
  );
}
