import { formatDecimal } from '../units.ts';
import { ENDS_NO_SOONER_MS } from './screen.ts';
import type { FarmSettings } from './settings.ts';
import { STOP_READINGS } from './stop-loss.ts';
import type { FarmFilters, FarmVenue } from './venues.ts';
import { withWindow } from './window.ts';

/**
 * Says for people what a farming agent buys and when it leaves, with the thresholds of its row and
 * of its user's settings: those its receipts state.
 */
export function farmRuleOf(
  venue: FarmVenue,
  { window, stopLossPerMille }: Pick<FarmSettings, 'window' | 'stopLossPerMille'>,
): string {
  const { filters, strictFilters, excluded } = withWindow(venue, window);
  const about = excluded.map((name) => name.replace('_', ' ')).join(' nor ');
  return [
    `Buys an outcome whose probability, the middle of the best bid and ask, is ${bandOf(filters)}, at ${centsOf(filters.probabilityMaximumTicks)} a share at most and with a ${spreadOf(filters)},`,
    `in a market with ${sizeOf(filters)} that ends in ${ENDS_NO_SOONER_MS / 60_000} min at least${endOf(filters)} and is about neither ${about}.`,
    `Buys in a market once, and in none that the risk assessor blocks. Where there is no assessment it asks for more: a probability of ${bandOf(strictFilters)}, a ${spreadOf(strictFilters)}, ${sizeOf(strictFilters)}${endOf(strictFilters)}.`,
    `Holds until the market pays, and sells before if ${STOP_READINGS} checks in a row find the best bid ${formatDecimal(stopLossPerMille, 1)} % below the entry or lower.`,
  ].join(' ');
}

function bandOf({ probabilityMinimumTicks, probabilityMaximumTicks }: FarmFilters): string {
  return `${formatDecimal(probabilityMinimumTicks, 2)} to ${formatDecimal(probabilityMaximumTicks, 2)} %`;
}

function spreadOf({ spreadMaximumTicks }: FarmFilters): string {
  return `spread of ${centsOf(spreadMaximumTicks)} at most`;
}

function sizeOf({ volumeAboveUsd, liquidityAboveUsd }: FarmFilters): string {
  return `a volume of more than ${volumeAboveUsd} USD and a liquidity of more than ${liquidityAboveUsd} USD`;
}

function endOf({ endsWithinHours }: FarmFilters): string {
  return endsWithinHours === null ? '' : `, in ${endsWithinHours} h at most`;
}

function centsOf(ticks: number): string {
  return `${formatDecimal(ticks, 2)}¢`;
}
