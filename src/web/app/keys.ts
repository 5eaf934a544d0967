import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { PLACES } from './places.ts';
import { focusRow } from './rows.ts';

/** `g` waits so long for the letter after it. */
const CHORD_MS = 1_200;

/**
 * Keys of every page: `/` searches, `?` shows the keys, `j` and `k` go through rows, `g` and a
 * letter goes to a page. Off while a user types or has a dialog open.
 */
export function useKeys(open: (what: 'search' | 'help') => void): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let chordAtMs = 0;
    const press = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const path = PLACES.find(({ keys }) => keys === `g ${event.key}`)?.path;
      if (Date.now() - chordAtMs < CHORD_MS && path !== undefined) {
        chordAtMs = 0;
        navigate(path);
      } else if (event.key === 'g') chordAtMs = Date.now();
      else if (event.key === 'j') focusRow(1);
      else if (event.key === 'k') focusRow(-1);
      else if (event.key === '/' || event.key === '?') {
        event.preventDefault();
        open(event.key === '/' ? 'search' : 'help');
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, open]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA|DIALOG)$/.test(target.tagName))
  );
}
