import { PAGES } from '../../../src/web/routes.ts';

/** Pages that are reached by an address alone; those of one market or decision by a link. */
export const ADDRESSES = Object.values(PAGES).filter(
  (path) => !path.includes(':') && !path.startsWith(PAGES.signIn) && path !== PAGES.welcome,
);
