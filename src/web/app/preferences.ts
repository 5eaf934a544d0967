import { useSyncExternalStore } from 'react';

/** How the page looks; kept in this browser. */
export interface Preferences {
  readonly theme: 'system' | 'dark' | 'light';
  /** Colours of up and down: green and red, or blue and orange. */
  readonly direction: 'green' | 'blue';
}

const STORED = 'predictd.preferences';
const DEFAULTS: Preferences = { theme: 'system', direction: 'green' };
const listeners = new Set<() => void>();
const prefersLight = matchMedia('(prefers-color-scheme: light)');
let preferences = read();

function read(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}');
    return { ...DEFAULTS, ...(typeof stored === 'object' ? stored : {}) };
  } catch {
    return DEFAULTS;
  }
}

/** Puts the preferences on the page; called once at the start, and after each change. */
export function applyPreferences(): void {
  const { theme, direction } = preferences;
  const isLight = theme === 'light' || (theme === 'system' && prefersLight.matches);
  document.documentElement.dataset['theme'] = isLight ? 'light' : 'dark';
  document.documentElement.dataset['direction'] = direction;
}

// charts take their colours from the page once: for them the device's theme is a new preference
prefersLight.addEventListener('change', () => take({ ...preferences }));

/** Changes some of the preferences. */
export function changePreferences(change: Partial<Preferences>): void {
  take({ ...preferences, ...change });
  localStorage.setItem(STORED, JSON.stringify(preferences));
}

function take(next: Preferences): void {
  preferences = next;
  applyPreferences();
  for (const listener of listeners) listener();
}

/** The preferences as they are. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => preferences,
  );
}
