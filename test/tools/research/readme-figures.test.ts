import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXIT_SIGNAL_WEIGHT_PERCENT } from '../../../src/domain/strategy/exit.ts';
import { openDataFolder } from '../../../src/tools/research/data-folder.ts';
import { researchFigures } from '../../../src/tools/research/figures.ts';
import { forecastsOf } from '../../../src/tools/research/forecasts.ts';
import { readLateWindowSeries } from '../../../src/tools/research/read/late-window-series.ts';
import { readmeTable } from '../../../src/tools/research/report/readme-table.ts';
import { calibrationOf } from '../../../src/tools/research/calibration.ts';
import { strongGapsOf } from '../../../src/tools/research/strong-gaps.ts';
import { RESEARCH } from '../../../config/limits/research.ts';
import { IS_WHOLE } from '../../support/sampled.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

const DATA = sharedData('data');

describe.runIf(DATA !== null)('the figures that are written down', () => {
  it.runIf(IS_WHOLE)(
    'of the research README are those of the run',
    () => {
      const readme = readFileSync(
        fileURLToPath(new URL('../../../src/tools/research/README.md', import.meta.url)),
        'utf8',
      );
      expect(readme).toContain(readmeTable(researchFigures(openDataFolder(DATA ?? ''))));
    },
    600_000,
  );

  it('price exits by what came true within three points, and give the signal no more weight than recorded days do', () => {
    const series = readLateWindowSeries(openDataFolder(DATA ?? ''));
    const rows =
      series === null
        ? []
        : forecastsOf(series, RESEARCH.sampleHorizonSeconds, RESEARCH.samplePatienceMs);
    const gaps = new Map(strongGapsOf(rows, 'test').map(({ source, gap }) => [source, gap]));
    expect(Math.abs(gaps.get('market price')?.estimate ?? 1)).toBeLessThan(0.03);
    expect(gaps.get('mean of both')?.low).toBeGreaterThan(0.03);
    expect(
      calibrationOf(rows)?.days.map(({ market }) => (market?.fitted?.weight ?? 1) * 100),
    ).toEqual([EXIT_SIGNAL_WEIGHT_PERCENT, EXIT_SIGNAL_WEIGHT_PERCENT]);
  });
});
