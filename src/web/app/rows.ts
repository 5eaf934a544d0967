/** What can be pressed in a row: its first link, its button, or what opens it. */
const PRESSED = 'a[href], button:not([disabled]), summary';
const ROWS = 'main tbody tr, main details > summary';

/**
 * Focuses what can be pressed in the row after the focused one (`step` 1) or before it (-1), at
 * first in the first row. Rows that are not shown, and those with nothing to press, are passed
 * over; at either end the focus stays.
 */
export function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll(ROWS)].flatMap((row) => {
    const pressed = row.matches(PRESSED) ? row : row.querySelector(PRESSED);
    return pressed instanceof HTMLElement && pressed.checkVisibility() ? [{ row, pressed }] : [];
  });
  const at = rows.findIndex(({ row }) => row.contains(document.activeElement));
  const next = rows[at === -1 ? 0 : at + step]?.pressed;
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
