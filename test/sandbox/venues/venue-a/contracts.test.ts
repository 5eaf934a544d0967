import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const COMPILER = fileURLToPath(
  new URL('../../../../config/compile-contracts.mjs', import.meta.url),
);

describe("the sandbox's contracts", () => {
  it('have committed artifacts that are exactly what their sources compile to', () => {
    const { status, stderr } = spawnSync(process.execPath, [COMPILER, '--check'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
