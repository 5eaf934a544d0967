import { call } from './client.ts';

/** What a visit to Google is for. */
type Purpose = 'sign in' | 'link';

/** What Google sent the browser back with. */
export interface GoogleReturn {
  readonly purpose: Purpose;
  /** Path and query of the page to go to once it is done. */
  readonly place: string;
  readonly visit: string;
  readonly returnedTo: string;
}

const VISIT = 'predictd.google';

/**
 * Sends the browser to Google; it comes back to the page that finishes, and goes on to `place`, a
 * path and query. Errors: `Problem`.
 */
export async function goToGoogle(purpose: Purpose, place: string): Promise<void> {
  const { visit, url } = await call('POST /api/auth/google', {});
  sessionStorage.setItem(VISIT, JSON.stringify({ visit, purpose, place }));
  location.assign(url);
}

/**
 * Takes what Google sent back, and cleans the address at once; null where no visit was begun here.
 * A visit is good for one use.
 */
export function backFromGoogle(path: string): GoogleReturn | null {
  const returnedTo = location.href;
  const stored = sessionStorage.getItem(VISIT);
  history.replaceState(null, '', path);
  sessionStorage.removeItem(VISIT);
  if (stored === null) return null;
  // what `goToGoogle` stored in this tab
  return { ...(JSON.parse(stored) as Omit<GoogleReturn, 'returnedTo'>), returnedTo };
}
