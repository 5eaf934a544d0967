import type { Bar, Row } from './row.ts';

/** The rows as a Markdown table that also reads well on a terminal. */
export function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    [
      { title: 'work', isFigure: false },
      { title: 'ours', isFigure: true },
      { title: 'peer', isFigure: true },
      { title: 'peer ÷ ours', isFigure: true },
      { title: 'unit', isFigure: false },
      { title: 'bar', isFigure: true },
      { title: 'holds', isFigure: false },
    ],
    rows.map(cellsOf),
  );
}

/** A Markdown table: words to the left, figures to the right. */
export function markdownTable(
  columns: readonly { readonly title: string; readonly isFigure: boolean }[],
  lines: readonly (readonly string[])[],
): string {
  const widths = columns.map(({ title }, column) =>
    Math.max(title.length, ...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (columns[column]?.isFigure === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (columns[column]?.isFigure === true ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`;
  return [line(columns.map(({ title }) => title)), rule, ...lines.map(line)].join('\n');
}

function cellsOf({ work, ours, peer, unit, bar }: Row): readonly string[] {
  return [
    work,
    figure(ours),
    peer === null ? '' : `${figure(peer.figure)} (${peer.name})`,
    peer === null || ours === 0 ? '' : ratioText(ours, peer),
    unit,
    bar === null ? '' : 'atMost' in bar ? `≤ ${figure(bar.atMost)}` : `≤ ${bar.timesPeer} × peer`,
    bar === null ? '' : verdict(ours, limitOf(bar, peer)),
  ];
}

function ratioText(ours: number, { figure: peer, ratios }: NonNullable<Row['peer']>): string {
  return ratios === undefined
    ? `${figure(peer / ours)} ×`
    : `${figure(ratios.median)} × (${figure(ratios.least)} to ${figure(ratios.most)})`;
}

function limitOf(bar: Bar, peer: Row['peer']): number {
  return 'atMost' in bar ? bar.atMost : bar.timesPeer * (peer?.figure ?? Number.NaN);
}

function verdict(ours: number, limit: number): string {
  if (Number.isNaN(limit)) return 'no peer ran';
  if (ours <= limit) return 'yes';
  return limit === 0 ? 'no' : `no: ${figure((ours / limit - 1) * 100)} % over`;
}

/** Three significant digits; whole numbers as they are. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toPrecision(3);
}
