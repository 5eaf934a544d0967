import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPagePath } from '../web/routes.ts';
import { preferredType } from './accept.ts';
import { isNamed } from './compression.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import type { RequestHead } from './guard.ts';
import type { Answer } from './respond.ts';

/**
 * What pages may do: run our own scripts and styles, call this daemon, and nothing else. The one
 * policy of trusted types makes the address of the service worker.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types predictd',
].join('; ');

const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
};

/** Names of files below here hold a digest of their content: they never change. */
const ASSETS = '/assets/';
const ASSET_CACHE = 'public, max-age=31536000, immutable';
/** Everything else is asked for again each time, and answered by its tag where it is the same. */
const OTHER_CACHE = 'no-cache';

interface WebFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Uint8Array;
  /** Compressed when it was built; absent where that saves nothing. */
  readonly br: Uint8Array | null;
  readonly gzip: Uint8Array | null;
}

/**
 * Creates what answers the pages of the web app and their files, from memory. `folder` holds a
 * build (`config/build-web.mjs`); without one pages answer 503 and say what to run, and every call
 * of the interface works. `calls` are the first parts of the paths of the interface: a browser that
 * asks for a page at any other address gets the app too, as 404, which says so in words.
 */
export function createWebApp(folder: string, calls: ReadonlySet<string>): Endpoint {
  const files = existsSync(join(folder, 'index.html')) ? readBuild(folder) : null;
  return {
    path: '/',
    isAskedOnce: true,
    matches: (head) => isOurs(files, calls, head),
    answer: (request) => Promise.resolve(answerOf(files, request)),
    close: () => Promise.resolve(),
  };
}

function isOurs(
  files: ReadonlyMap<string, WebFile> | null,
  calls: ReadonlySet<string>,
  head: RequestHead,
): boolean {
  if (head.method !== 'GET' && head.method !== 'HEAD') return false;
  const { path } = head;
  if (path.startsWith(ASSETS) || files?.has(path) === true) return true;
  const wanted = preferredType(head.headers.get('accept') ?? null, [
    'text/html',
    'application/json',
  ]);
  const isTaken = calls.has(path.split('/')[1] ?? '');
  return wanted === 'text/html' && (isPagePath(path) || !isTaken);
}

function answerOf(files: ReadonlyMap<string, WebFile> | null, { head }: EndpointRequest): Answer {
  if (files === null)
    return text(
      503,
      'The pages are not built. Run `npm start`, or `node config/prepare.mjs --start`.',
    );
  const isAsset = head.path.startsWith(ASSETS);
  const isPage = !isAsset && !files.has(head.path);
  const file = files.get(isPage ? '/index.html' : head.path);
  if (file === undefined)
    return text(404, 'There is no such file; the page that asked for it is of another build.');
  const isUnknown = isPage && !isPagePath(head.path);
  const headers = {
    'Content-Type': file.type,
    'Cache-Control': isAsset ? ASSET_CACHE : OTHER_CACHE,
    ETag: file.etag,
    Vary: 'Accept-Encoding',
    ...(file.type.startsWith('text/html') ? PAGE_HEADERS : {}),
  };
  if (!isUnknown && isNamed(file.etag, head.headers.get('if-none-match')))
    return { status: 304, headers, body: null };
  const status = isUnknown ? 404 : 200;
  const accepted = head.headers.get('accept-encoding') ?? '';
  if (file.br !== null && /\bbr\b/.test(accepted))
    return { status, headers: { ...headers, 'Content-Encoding': 'br' }, body: file.br };
  if (file.gzip !== null && /\bgzip\b/.test(accepted))
    return { status, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: file.gzip };
  return { status, headers, body: file.plain };
}

function text(status: number, sentence: string): Answer {
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    body: `${sentence}\n`,
  };
}

function readBuild(folder: string): ReadonlyMap<string, WebFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const known = new Set(names);
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[name.split('.').at(-1) ?? ''];
      if (type === undefined) return [];
      const plain = readFileSync(join(folder, name));
      const read = (suffix: string) =>
        known.has(name + suffix) ? readFileSync(join(folder, name + suffix)) : null;
      const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
      return [
        [
          `/${name.replaceAll('\\', '/')}`,
          { type, etag, plain, br: read('.br'), gzip: read('.gz') },
        ],
      ];
    }),
  );
}
