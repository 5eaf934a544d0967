import { call } from './client.ts';

/** What a visit to Google is for. */
type Purpose = 'sign in' | 'link';

/** What Google sent the browser back with. */
export interface GoogleReturn {
  readonly purpose: Purpose;
  readonly visit: string;
  readonly returnedTo: string;
}

const VISIT = 'predictd.google';

/** Sends the browser to Google; it comes back to the page that finishes. Errors: `Problem`. */
export async function goToGoogle(purpose: Purpose): Promise<void> {
  const { visit, url } = await call('POST /api/auth/google', {});
  sessionStorage.setItem(VISIT, `${visit} ${purpose}`);
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
  const [visit = '', ...rest] = stored.split(' ');
  return { purpose: rest.join(' ') === 'link' ? 'link' : 'sign in', visit, returnedTo };
}
