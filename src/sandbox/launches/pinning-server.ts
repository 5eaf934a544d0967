import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PINNING_MODEL } from '../../../config/limits/sandbox.ts';
import { makeFolder } from '../../adapters/files/make-folder.ts';
import type { FaultBoard } from '../faults.ts';
import { base32 } from './base32.ts';
import { filePart } from './multipart.ts';

/** A service that keeps files under names made of what they hold. */
export interface Pinning {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves uploads to IPFS as Pinata does (`POST /pinning/pinFileToIPFS`, web3.md section 4), and
 * what was uploaded as any gateway does (`GET /ipfs/:cid`). A name is the CID of version 1 of a
 * single raw block, which is what the real one gives files up to a quarter of a megabyte; here
 * larger ones get it too.
 */
export async function startPinning({
  faults,
  key,
  folder,
}: Pick<Service, 'faults' | 'key'> & {
  /** Where files outlive a stop; null keeps them in memory. */
  readonly folder: string | null;
}): Promise<Pinning> {
  if (folder !== null) makeFolder(folder);
  const memory = new Map<string, Buffer>();
  const files: Files = {
    put(cid, bytes) {
      if (folder === null) return void memory.set(cid, bytes);
      const file = join(folder, cid);
      writeFileSync(`${file}.new`, bytes);
      renameSync(`${file}.new`, file);
    },
    get(cid) {
      if (folder === null) return memory.get(cid) ?? null;
      const file = join(folder, cid);
      return existsSync(file) ? readFileSync(file) : null;
    },
  };
  const server = createServer((request, response) => {
    answer({ faults, key, files }, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // a listening TCP server has an address and a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Files {
  put(cid: string, bytes: Buffer): void;
  get(cid: string): Buffer | null;
}

interface Service {
  readonly faults: FaultBoard;
  /** What uploads show as `Authorization: Bearer`. */
  readonly key: string;
  readonly files: Files;
}

async function answer(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://pinning');
  const body = await bodyOf(request);
  if (request.method === 'GET') return show(service, pathname, response);
  if (request.method !== 'POST' || pathname !== '/pinning/pinFileToIPFS')
    return reply(response, 404, { error: { reason: 'NOT_FOUND', details: pathname } });
  if (service.faults.take('pinning-down') !== null) return void response.destroy();
  if (request.headers.authorization !== `Bearer ${service.key}`)
    return reply(response, 401, { error: { reason: 'INVALID_CREDENTIALS', details: 'a key' } });
  const file = body === null ? null : filePart(body, request.headers['content-type'] ?? '');
  if (file === null)
    return reply(response, body === null ? 413 : 400, {
      error: { reason: 'INVALID_FILE', details: 'one part named file, within the limit' },
    });
  const given = service.faults.take('pinning-other-file') === null ? file : Buffer.from('other');
  const cid = cidOf(given);
  const isDuplicate = service.files.get(cid) !== null;
  service.files.put(cid, given);
  reply(response, 200, {
    IpfsHash: cid,
    PinSize: given.length,
    Timestamp: new Date(0).toISOString(),
    ...(isDuplicate ? { isDuplicate: true } : {}),
  });
}

function show({ files }: Service, pathname: string, response: ServerResponse): void {
  const cid = /^\/ipfs\/([a-z0-9]{1,100})$/.exec(pathname)?.[1];
  const bytes = cid === undefined ? null : files.get(cid);
  if (bytes === null) return reply(response, 404, { error: 'no such file' });
  // what strangers uploaded is shown, never run
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'content-length': bytes.length,
  });
  response.end(bytes);
}

/** Returns the body; null when it is over the limit. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= PINNING_MODEL.bodyMaximumBytes) chunks.push(bytes);
  }
  return size > PINNING_MODEL.bodyMaximumBytes ? null : Buffer.concat(chunks);
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** CID of version 1, codec raw, SHA-256 (multiformats' table), in base32. */
function cidOf(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest();
  return `b${base32(Buffer.concat([Buffer.of(0x01, 0x55, 0x12, 0x20), digest]))}`;
}
