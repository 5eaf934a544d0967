import { isPagePath, PAGES } from '../routes.ts';

/** The parameter of a sign-in page that holds where the browser goes afterwards. */
const PARAMETER = 'to';
/** Any origin: an address that leaves it when it is resolved against it is no page of the app. */
const HERE = 'http://here.invalid';

/**
 * Where the browser goes once a sign-in that began at `here` is done, both a path with its query:
 * to that page, or where a sign-in page was to lead. Home for what is no page of the app.
 */
export function placeAfterSignIn(here: string): string {
  const at = pageAt(here);
  if (at === null) return PAGES.home;
  if (!isSignIn(at)) return at.pathname + at.search;
  const next = pageAt(at.searchParams.get(PARAMETER) ?? PAGES.home);
  return next === null || isSignIn(next) ? PAGES.home : next.pathname + next.search;
}

/** Path of a sign-in page that leads back to where a sign-in at `here` leads. */
export function signInPath(page: string, here: string): string {
  const place = placeAfterSignIn(here);
  return place === PAGES.home ? page : `${page}?${new URLSearchParams({ [PARAMETER]: place })}`;
}

function pageAt(path: string): URL | null {
  if (!URL.canParse(path, HERE)) return null;
  const url = new URL(path, HERE);
  return url.origin === HERE && isPagePath(url.pathname) ? url : null;
}

function isSignIn({ pathname }: URL): boolean {
  return pathname.startsWith(PAGES.signIn);
}
