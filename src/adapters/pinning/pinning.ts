import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PUBLIC_FILES } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import type { PublicFile, PublicFiles } from '../../ports/public-files.ts';
import { createHttpCalls } from '../wire/http-calls.ts';
import { rawCid } from './cid.ts';

/** What an upload answers; more is fine. Names of version 0 and 1 are letters and digits. */
const pinnedSchema = z.object({ IpfsHash: z.string().regex(/^[0-9A-Za-z]{46,100}$/) });

/**
 * Uploads to IPFS through a pinning service (Pinata's `POST /pinning/pinFileToIPFS`, web3.md
 * section 4). What it says of a file that is one block is checked against the file itself.
 */
export function createPinning({
  baseUrl,
  key,
}: {
  readonly baseUrl: string;
  /** Null where no tokens are launched. */
  readonly key: string | null;
}): PublicFiles & { close(): Promise<void> } {
  const { connectionsMaximum, keepAliveMs, connectTimeoutMs, answerMaximumBytes } = PUBLIC_FILES;
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum,
    keepAliveMs,
    connectTimeoutMs,
    answerMaximumBytes,
  });
  return {
    close: () => calls.close(),
    async put(file) {
      if (key === null) throw unavailable('this service has no store of public files', false);
      const { body, boundary } = formOf(file);
      const outcome = await calls.send({
        method: 'POST',
        path: '/pinning/pinFileToIPFS',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
        body,
        timeoutMs: PUBLIC_FILES.callTimeoutMs,
      });
      if (outcome.kind !== 'answered') throw unavailable(`no answer: ${outcome.cause}`);
      if (outcome.status !== 200) throw unavailable(`it answered ${outcome.status}`);
      const cid = nameIn(outcome.text);
      const isOneBlock = file.bytes.length <= PUBLIC_FILES.chunkBytes;
      if (cid === null || (isOneBlock && cid !== rawCid(file.bytes)))
        throw unavailable('what it kept is not what was uploaded');
      return `${PUBLIC_FILES.gateway}${cid}`;
    },
  };
}

function nameIn(text: string): string | null {
  try {
    return pinnedSchema.safeParse(JSON.parse(text)).data?.IpfsHash ?? null;
  } catch {
    return null;
  }
}

/** A form with the file and the version its name is to be of (RFC 7578). */
function formOf({ bytes, mediaType, name }: PublicFile): {
  readonly body: Uint8Array;
  readonly boundary: string;
} {
  // no file can hold the digest of itself
  const boundary = createHash('sha256').update(bytes).digest('hex');
  const part = (head: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${head}`;
  const body = Buffer.concat([
    Buffer.from(`${part(`name="file"; filename="${name}"`)}\r\nContent-Type: ${mediaType}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n${part('name="pinataOptions"')}\r\n\r\n{"cidVersion":1}`),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, boundary };
}

function unavailable(why: string, retryable = true): AppError {
  return new AppError('files_unavailable', `the store of public files: ${why}`, { retryable });
}
