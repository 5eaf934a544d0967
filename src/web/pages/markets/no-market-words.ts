import { sentence, words } from '../../format/text.ts';

/** What a list of markets was asked for, and how far its venues answered. */
interface Asked {
  readonly search: string;
  readonly state: 'active' | 'closed';
  /** Null where all are asked. */
  readonly venue: string | null;
  /** Venues that did not answer. */
  readonly missing: readonly string[];
  /** True where a venue gives no whole list of these. */
  readonly isIncomplete: boolean;
}

/** Says why a list of markets is empty, and what else could be tried. */
export function noMarketWords({ search, state, venue, missing, isIncomplete }: Asked): string {
  if (missing.length > 0)
    return `Nothing to show: ${missing.map(words).join(' and ')} ${missing.length === 1 ? 'does' : 'do'} not answer just now.`;
  const kind = state === 'active' ? 'open' : 'ended';
  const at = venue === null ? '' : ` at ${words(venue)}`;
  if (search === '')
    return state === 'closed' && venue !== null && isIncomplete
      ? `${sentence(words(venue))} gives no list of its ended markets. What you held there is in your portfolio.`
      : `No ${kind} market is listed${at} just now.`;
  const others = `${state === 'active' ? 'ended' : 'open'} markets`;
  return `No ${kind} market${at} has “${search}” in it. Try a part of the question, ${venue === null ? `or ${others}` : `${others} or all venues`}.`;
}
