import type { Kills } from './kills.ts';
import type { MoneyDayEnd } from './money-day.ts';

/**
 * Steps of a money day at which each build is killed, by how their names begin. Where two names
 * stand, which of them comes is the chain's to say: an action whose answer was lost with the
 * process may be found done.
 */
export const SIXTEEN = [
  'user\\.created',
  'deploy:none->intended',
  'deploy:intended->signed',
  'deploy:\\w+->(submitted|done)',
  'deposit_addresses',
  'allowances:intended->signed',
  'allowances:\\w+->done',
  'ledger:deposit',
  'redeem:none->intended',
  'redeem:intended->signed',
  'redeem:\\w+->(submitted|done)',
  'withdraw:none->intended',
  'withdraw:intended->signed',
  'withdraw:\\w+->(submitted|done)',
  'withdraw:\\w+->done',
  'idempotency_keys of key out',
] as const;

/** How a day of the selection is lived. */
export type Way = 'not killed' | 'killed at the one half' | 'killed at the other half';

/** A day without kills, and two between which each of the steps is killed before and after. */
export const selection: readonly { readonly way: Way; readonly kills: Kills | null }[] = [
  { way: 'not killed', kills: null },
  {
    way: 'killed at the one half',
    kills: { before: beginning(half(0)), after: beginning(half(1)) },
  },
  {
    way: 'killed at the other half',
    kills: { before: beginning(half(1)), after: beginning(half(0)) },
  },
];

function half(rest: 0 | 1): readonly string[] {
  return SIXTEEN.filter((_, index) => index % 2 === rest);
}

/** The steps whose names begin so. */
export function beginning(steps: readonly string[]): RegExp {
  return new RegExp(`^(?:${steps.join('|')})`);
}

/**
 * Days between which every one of these steps is killed before and after, each step once a moment:
 * a day takes every `apart`-th, the one after it begins one step later, and kills after those that
 * are half a turn away, so that a life has steps to make between two kills.
 */
export function rotation(steps: readonly string[], apart: number): readonly Kills[] {
  return Array.from({ length: apart }, (_, turn) => {
    const every = (offset: number) =>
      exactly(steps.filter((_step, index) => index % apart === (turn + offset) % apart));
    return { before: every(0), after: every(Math.floor(apart / 2)) };
  });
}

/** The steps with these names; null for none. */
export function exactly(steps: readonly string[]): RegExp | null {
  if (steps.length === 0) return null;
  const names = steps.map((step) =>
    alike(step)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(TAKEN, HEARD.source),
  );
  return new RegExp(`^(?:${names.join('|')})$`);
}

/**
 * Whether the venue's answer to an order or its channel is heard first is the network's: both are
 * the one step.
 */
const HEARD = /signed->(?:live|matched)/;
const TAKEN = 'signed->taken';

function alike(step: string): string {
  return step.replace(HEARD, TAKEN);
}

/** Steps of the day without kills that no day was killed before, or after. */
export function leftOut(
  steps: readonly string[],
  days: readonly Pick<MoneyDayEnd, 'killedAt'>[],
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const moments = new Set(
    days
      .flatMap(({ killedAt }) => killedAt)
      .flatMap((line) => line.split(' & '))
      .map(alike),
  );
  const missing = (moment: string) =>
    steps.filter((step) => !moments.has(alike(`${moment} ${step}`)));
  return { before: missing('before'), after: missing('after') };
}

/** What days that came to the same end share. */
export function outcome({
  steps: _steps,
  killedAt: _killedAt,
  lives: _lives,
  ...rest
}: MoneyDayEnd): unknown {
  return rest;
}
