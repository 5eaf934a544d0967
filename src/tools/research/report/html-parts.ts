import type { Interval } from '../../../domain/evidence/interval.ts';

/**
 * A cell of a table: text, text set to the right because it is a number, or sentences below one
 * another.
 */
export type Cell = string | { readonly number: string } | { readonly sentences: readonly string[] };

/** Text that may stand inside HTML. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A table with a heading row. Cells are escaped. */
export function tableOf(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const head = headings.map((heading) => `<th>${escaped(heading)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map(cellOf).join('')}</tr>`).join('\n');
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function cellOf(cell: Cell): string {
  if (typeof cell === 'string') return `<td>${escaped(cell)}</td>`;
  return 'number' in cell
    ? `<td class="number">${escaped(cell.number)}</td>`
    : `<td class="sentences">${cell.sentences.map((sentence) => `<div>${escaped(sentence)}</div>`).join('')}</td>`;
}

/** A section with its heading. The inside is HTML. */
export function section(id: string, heading: string, ...parts: readonly string[]): string {
  return `<section id="${id}">\n<h2>${escaped(heading)}</h2>\n${parts.join('\n')}\n</section>`;
}

/** A paragraph of plain text. */
export function paragraph(text: string): string {
  return `<p>${escaped(text)}</p>`;
}

/** A list of plain sentences. */
export function listOf(sentences: readonly string[]): string {
  return `<ul>${sentences.map((sentence) => `<li>${escaped(sentence)}</li>`).join('')}</ul>`;
}

/** A plot with what it shows. The plot is an SVG element. */
export function figure(svg: string, caption: string): string {
  return `<figure>${svg}<figcaption>${escaped(caption)}</figcaption></figure>`;
}

/** Plots side by side. */
export function sideBySide(...figures: readonly string[]): string {
  return `<div class="plots">${figures.join('')}</div>`;
}

/** A number with fixed decimals; a dash for none. */
export function numberText(value: number | null, decimals: number): Cell {
  return { number: value === null ? '–' : signed(value.toFixed(decimals)) };
}

/** An estimate with its bounds; a dash for none. */
export function intervalText(interval: Interval | null, decimals: number): Cell {
  if (interval === null) return { number: '–' };
  return {
    number: `${signed(interval.estimate.toFixed(decimals))} (${signed(interval.low.toFixed(decimals))} to ${signed(interval.high.toFixed(decimals))})`,
  };
}

/** A share as percent with its bounds; a dash for none. */
export function shareText(interval: Interval | null): Cell {
  if (interval === null) return { number: '–' };
  return {
    number: `${percent(interval.estimate)} (${(interval.low * 100).toFixed(1)} to ${(interval.high * 100).toFixed(1)})`,
  };
}

/** A share from 0 to 1 as percent with one decimal. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A moment in UTC to the minute. */
export function moment(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
}

/** A number of things with its noun. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A real minus sign, which lines up with the digits, and none before a zero. */
export function signed(text: string): string {
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}
