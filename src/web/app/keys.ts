import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../routes.ts';

const AFTER_G: Readonly<Record<string, string>> = {
  h: PAGES.home,
  m: PAGES.markets,
  a: PAGES.agents,
  w: PAGES.wallet,
  y: PAGES.activity,
  s: PAGES.settings,
};
/** `g` waits so long for the letter after it. */
const CHORD_MS = 1_200;

/**
 * Keys of every page: `/` or `?` searches, `g` and a letter goes to a page. Off while a user
 * types.
 */
export function useKeys(onSearch: () => void): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let chordAtMs = 0;
    const press = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const path = AFTER_G[event.key];
      if (Date.now() - chordAtMs < CHORD_MS && path !== undefined) {
        chordAtMs = 0;
        navigate(path);
      } else if (event.key === 'g') chordAtMs = Date.now();
      else if (event.key === '/' || event.key === '?') {
        event.preventDefault();
        onSearch();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, onSearch]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA|DIALOG)$/.test(target.tagName))
  );
}
