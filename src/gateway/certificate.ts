import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';

/** Where a server's certificate, with those between it and its root, and its key are, as PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** What a server proves itself by. */
interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly validUntilMs: number;
}

/** A certificate that is replaced in its files while the server runs, as one of 90 days is. */
export interface RenewedCertificate {
  current(): Certificate;
  /**
   * Reads the files again and returns whether they hold another certificate, which is then the
   * current one. What does not go together, as while one of two files is replaced, is reported once
   * and changes nothing.
   */
  renew(): boolean;
}

/** Opens the files. Errors: `config_invalid` naming the file, or that the two do not belong. */
export function openCertificate(
  files: CertificateFiles,
  log: Pick<Log, 'info' | 'warn'>,
): RenewedCertificate {
  let current = readCertificate(files);
  let reported: string | null = null;
  return {
    current: () => current,
    renew() {
      try {
        const next = readCertificate(files);
        reported = null;
        if (next.cert.equals(current.cert) && next.key.equals(current.key)) return false;
        current = next;
        log.info({ validUntilMs: next.validUntilMs }, 'certificate.replaced');
        return true;
      } catch (cause) {
        if (!(cause instanceof AppError)) throw cause;
        if (cause.message !== reported) log.warn({ error: cause.message }, 'certificate.unusable');
        reported = cause.message;
        return false;
      }
    },
  };
}

function readCertificate(files: CertificateFiles): Certificate {
  const cert = read(files.cert);
  const key = read(files.key);
  try {
    createSecureContext({ cert, key });
    return { cert, key, validUntilMs: Date.parse(new X509Certificate(cert).validTo) };
  } catch (cause) {
    throw new AppError(
      'config_invalid',
      `${files.cert} and ${files.key} must hold a certificate and its key as PEM: ${reason(cause)}`,
      { cause },
    );
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new AppError('config_invalid', `${file} cannot be read: ${reason(cause)}`, { cause });
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
