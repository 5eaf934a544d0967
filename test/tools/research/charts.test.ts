import { describe, expect, it } from 'vitest';
import {
  bandChart,
  COLOURS,
  forestChart,
  reliabilityChart,
  scoreByTimeChart,
} from '../../../src/tools/research/report/charts.ts';

const interval = { estimate: 0.5, low: 0.4, high: 0.6 };
const line = { name: 'our signal', colour: COLOURS.ours };
const bins = [{ from: 0.4, to: 0.5, count: 9, stated: 0.45, observed: interval }];

const draw = {
  reliability: () => reliabilityChart('one', [{ ...line, bins }]),
  time: () =>
    scoreByTimeChart('two', {
      secondsLeft: [120, 60],
      lines: [{ ...line, values: [0.2, null] }],
      coin: 0.25,
    }),
  forest: () =>
    forestChart('three', {
      axis: 'profit',
      rows: [
        { ...line, interval },
        { ...line, name: 'other', interval },
      ],
    }),
  bands: () => bandChart('four', [{ band: '95–96 %', paid: 0.96, hit: interval }]),
};
const classes = (svg: string): readonly string[] => [
  ...new Set([...svg.matchAll(/class="([^"]+)"/g)].map(([, name]) => name ?? '')),
];

describe('plots', () => {
  it.each(Object.entries(draw))(
    'of %s are the same text whenever they are drawn',
    (_name, drawn) => {
      expect(drawn()).toBe(drawn());
    },
  );

  it('share no style with one another: they stand on one page', () => {
    const names = Object.values(draw).map((drawn) => classes(drawn()));
    expect(new Set(names.flat()).size).toBe(names.flat().length);
  });

  it('keep apart the styles of their own parts', () => {
    const svg = draw.reliability();
    const styled = [
      ...new Set([...svg.matchAll(/\.(one-\d+)[^{]*\{/g)].map(([, name]) => name ?? '')),
    ];
    expect(styled.length).toBeGreaterThan(1);
    expect(styled.filter((name) => !classes(svg).includes(name))).toEqual([]);
  });
});
