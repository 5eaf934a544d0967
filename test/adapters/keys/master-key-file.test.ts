import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readMasterKeyFile } from '../../../src/adapters/keys/master-key-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'predictd-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

function aFile(text: string, mode: number): string {
  const path = join(folder, `key-${mode.toString(8)}-${text.length}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('master key file', () => {
  it.each([0o400, 0o600])('is read where only its owner may (%o)', (mode) => {
    expect(
      Buffer.from(readMasterKeyFile(aFile(`${'0f'.repeat(32)}\n`, mode))).toString('hex'),
    ).toBe('0f'.repeat(32));
  });

  it.each([0o644, 0o640, 0o604, 0o660])(
    'is refused with what to do where others may (%o)',
    (mode) => {
      const path = aFile('0f'.repeat(32), mode);
      expect(() => readMasterKeyFile(path)).toThrowError(
        expect.objectContaining({
          code: 'config_invalid',
          message: expect.stringContaining(`chmod 600 ${path}`),
        }),
      );
    },
  );

  it.each(['', '0f'.repeat(31), `${'0f'.repeat(32)}0`, 'zz'.repeat(32)])(
    'is refused when it holds something else, which is not shown (%s)',
    (text) => {
      expect(() => readMasterKeyFile(aFile(text, 0o600))).toThrowError(
        expect.objectContaining({
          code: 'master_key_wrong',
          message: expect.stringMatching(/is not 64 hex digits; restore it/),
        }),
      );
    },
  );

  it('is missed by its name', () => {
    expect(() => readMasterKeyFile(join(folder, 'absent'))).toThrowError(
      expect.objectContaining({ code: 'master_key_wrong' }),
    );
  });
});
