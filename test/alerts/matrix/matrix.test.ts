import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons } from '../../crash/support/daemon.ts';
import { IS_WHOLE, sampled } from '../../support/sampled.ts';
import { RULES_FILE } from '../rules-file.ts';
import { overviewPictures } from './pictures.ts';
import { hasPrometheus, startPrometheus, type Prometheus } from './prometheus.ts';
import { ROWS } from './rows.ts';
import { runRow, tableOf, type RowResult } from './run.ts';
import { startSandbox, type Sandbox } from './sandbox.ts';
import { scaledRules } from './scaled-rules.ts';
import { trading } from './traffic.ts';

const PRELOAD = new URL('../blocked-loop.mjs', import.meta.url).href;
const ANCHORS = new Set(
  [
    ...readFileSync(
      new URL('../../../config/prometheus/runbook.md', import.meta.url),
      'utf8',
    ).matchAll(/^### (\w+)$/gm),
  ].map(([, name = '']) => `config/prometheus/runbook.md#${name.toLowerCase()}`),
);
/** Rows of a few seconds that a run without all of them takes. */
const SAMPLE = 2;
const rows = IS_WHOLE
  ? ROWS
  : sampled(
      'faults and alerts',
      ROWS.filter(({ isQuick = false }) => isQuick),
      SAMPLE,
    );

describe.skipIf(!hasPrometheus())(
  'a fault of the sandbox, seen by Prometheus over a real daemon,',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-matrix-'));
    const results: RowResult[] = [];
    let sandbox: Sandbox;
    let prometheus: Prometheus;
    let stopTrading: () => void = () => undefined;

    beforeAll(async () => {
      sandbox = await startSandbox(join(folder, 'data'), { preload: PRELOAD });
      prometheus = await startPrometheus({
        folder: join(folder, 'prometheus'),
        target: new URL(sandbox.url).host,
        rules: scaledRules(readFileSync(RULES_FILE, 'utf8')),
      });
      stopTrading = trading(sandbox);
    }, 120_000);
    afterAll(async () => {
      stopTrading();
      await prometheus?.stop();
      await killDaemons();
      rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
      console.info(tableOf(results));
    });

    it.each(rows)(
      '$name raises its alert and no other, which links a paragraph',
      { timeout: 700_000 },
      async (row) => {
        const draw = overviewPictures(prometheus.url);
        const result = await runRow(row, { sandbox, prometheus, draw });
        results.push(result);
        expect(result.fired).toEqual(row.alerts);
        expect(result.links.filter((link) => !ANCHORS.has(link))).toEqual([]);
      },
    );
  },
);
