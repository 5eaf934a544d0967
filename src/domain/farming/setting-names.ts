/**
 * Names of the settings farming agents have beside the common ones; each agent has those of its row
 * (`FarmVenue.settings`).
 */
const FARM_SETTING_NAMES = [
  'maxOpenPositions',
  'maxTotalExposure',
  'maxDailyLoss',
  'minProbabilityPercent',
  'maxProbabilityPercent',
  'maxHoursToExpiry',
  'stopLossPercent',
] as const;
/** Name of a farming setting. */
export type FarmSettingName = (typeof FARM_SETTING_NAMES)[number];
