import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sampled } from '../../../support/sampled.ts';

const COMPILER = fileURLToPath(
  new URL('../../../../config/compile-contracts.mjs', import.meta.url),
);

const SANDBOX = fileURLToPath(new URL('../../../../src/sandbox/', import.meta.url));
const SOURCES = readdirSync(SANDBOX, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sol'))
  .sort();

describe("the sandbox's contracts", () => {
  it('have committed artifacts that are exactly what their sources compile to', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [COMPILER, '--check', ...sampled('contracts', SOURCES, 3)],
      {
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
