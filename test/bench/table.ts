import type { Row } from './row.ts';

const TITLES = ['work', 'ours', 'peer', 'peer ÷ ours', 'unit', 'bar', 'holds'] as const;
/** Words to the left, figures to the right. */
const IS_FIGURE = [false, true, true, true, false, true, false] as const;

/** The rows as a Markdown table that also reads well on a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(cellsOf);
  const widths = TITLES.map((title, column) =>
    Math.max(title.length, ...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (IS_FIGURE[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (IS_FIGURE[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`;
  return [line(TITLES), rule, ...lines.map(line)].join('\n');
}

function cellsOf({ work, ours, peer, unit, bar }: Row): readonly string[] {
  return [
    work,
    figure(ours),
    peer === null ? '' : `${figure(peer.figure)} (${peer.name})`,
    peer === null || ours === 0 ? '' : `${figure(peer.figure / ours)} ×`,
    unit,
    bar === null ? '' : `≤ ${figure(bar)}`,
    bar === null ? '' : verdict(ours, bar),
  ];
}

function verdict(ours: number, bar: number): string {
  if (ours <= bar) return 'yes';
  return bar === 0 ? 'no' : `no: ${figure((ours / bar - 1) * 100)} % over`;
}

/** Three significant digits; whole numbers as they are. */
function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toPrecision(3);
}
