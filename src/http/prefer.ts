import { API } from '../../config/limits/api.ts';
import type { UserContext } from './route.ts';
import type { InputSchemas } from './route-input.ts';

/**
 * Returns how long a caller asks to wait by `Prefer: wait=<seconds>` (RFC 7240, section 4.3), in
 * ms; null where they do not. Of several the first counts, and what cannot be read is as if it were
 * not there (section 2).
 */
export function preferredWaitMs(header: string | null): number | null {
  for (const preference of (header ?? '').split(',')) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;.*)?$/i.exec(preference)?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return null;
}

/**
 * Returns how long an answer waits for the end of what was asked for, in ms, and says in the answer
 * what was made of a preference: `API.waitMaximumMs` at most, the default without one.
 */
export function waitMsOf(
  { header, answerWith }: Pick<UserContext, 'header' | 'answerWith'>,
  defaultMs: number,
): number {
  const preferredMs = preferredWaitMs(header('prefer'));
  if (preferredMs === null) return defaultMs;
  const appliedMs = Math.min(preferredMs, API.waitMaximumMs);
  answerWith('Preference-Applied', `wait=${appliedMs / 1_000}`);
  return appliedMs;
}

/** The header of a call whose answer waits; `absent` says what happens without it. */
export function preferHeader(absent: string): NonNullable<InputSchemas['headers']> {
  return {
    Prefer: {
      field: 'prefer',
      optional: true,
      description: `\`wait=<seconds>\` (RFC 7240): how long the answer waits for the end, ${API.waitMaximumMs / 1_000} at most; absent, ${absent}.`,
    },
  };
}

/** Of calls that are queued and answered at once unless the caller prefers otherwise. */
export const PREFER_WAIT = preferHeader('it is answered at once with how far it is');
