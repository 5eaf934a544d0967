import type { Output } from '../api/routes.ts';
import { chance, percent } from './money.ts';

type Listed = Pick<Output<'GET /api/markets/'>['data'][number], 'resolution'> & {
  readonly outcomes: readonly {
    readonly quote: {
      readonly bid: string | null;
      readonly ask: string | null;
      readonly probability: string | null;
    } | null;
  }[];
};

/**
 * Writes how likely a list shows the first outcome: by its best prices, and where there are none by
 * what the venue states, as of a pool, or of a book without quotes; once it has ended what won.
 */
export function listedChance({ outcomes, resolution }: Listed): string {
  if (resolution !== null) return resolution.label ?? 'shared';
  const quote = outcomes[0]?.quote ?? null;
  if (quote === null) return '–';
  const { bid, ask, probability } = quote;
  return bid === null && ask === null ? percent(probability) : chance(bid, ask);
}
