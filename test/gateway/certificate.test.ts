import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCertificate, type CertificateFiles } from '../../src/gateway/certificate.ts';

const FIXTURES = join(import.meta.dirname, 'certificates');

describe('a certificate in two files', () => {
  let folder: string;
  let files: CertificateFiles;
  const logged: string[] = [];
  const log = {
    info: (_facts: object, event: string) => void logged.push(event),
    warn: (_facts: object, event: string) => void logged.push(event),
  };
  const put = (part: keyof CertificateFiles, name: string): void =>
    copyFileSync(join(FIXTURES, `${name}.${part}.pem`), files[part]);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'predictd-certificate-'));
    files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    logged.length = 0;
    put('cert', 'first');
    put('key', 'first');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('says until when it is valid', () => {
    const { validUntilMs } = openCertificate(files, log).current();
    expect(new Date(validUntilMs).getUTCFullYear()).toBe(2126);
  });

  it('is taken anew once both files were replaced, and kept while one was', () => {
    const certificate = openCertificate(files, log);
    const first = certificate.current();
    expect(certificate.renew()).toBe(false);
    put('cert', 'second');
    expect([certificate.renew(), certificate.renew()]).toEqual([false, false]);
    expect(certificate.current()).toBe(first);
    put('key', 'second');
    expect(certificate.renew()).toBe(true);
    expect(certificate.current()).not.toBe(first);
    expect(logged).toEqual(['certificate.unusable', 'certificate.replaced']);
  });

  it('is refused where a file is missing, is no PEM, or has the key of another', () => {
    const refusal = (): unknown => {
      try {
        return openCertificate(files, log).current();
      } catch (error) {
        const { code, message } = error as { readonly code: string; readonly message: string };
        return [code, message.split(': ')[0]?.replaceAll(`${folder}/`, '')];
      }
    };
    put('key', 'second');
    const apart = 'cert.pem and key.pem must hold a certificate and its key as PEM';
    expect(refusal()).toEqual(['config_invalid', apart]);
    writeFileSync(files.key, 'no key');
    expect(refusal()).toEqual(['config_invalid', apart]);
    rmSync(files.key);
    expect(refusal()).toEqual(['config_invalid', 'key.pem cannot be read']);
  });
});
