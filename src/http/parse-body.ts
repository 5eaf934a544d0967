import { AppError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { parseJson } from './json.ts';
import type { Route } from './route.ts';

/**
 * Reads a body as its row takes it: bytes as they are, or JSON; undefined without one.
 * Errors: `unsupported_media_type`, `invalid_json`.
 */
export function parseBody(
  headers: ReadonlyMap<string, string>,
  body: Uint8Array,
  { input: { bytes } }: Pick<Route, 'input'>,
): JsonValue | Uint8Array | undefined {
  if (body.byteLength === 0) return undefined;
  if (bytes !== undefined) {
    const given = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (!bytes.mediaTypes.includes(given))
      throw unsupported('content-type', `must be one of ${bytes.mediaTypes.join(', ')}`);
    assertNotEncoded(headers);
    return body;
  }
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers.get('content-type') ?? ''))
    throw unsupported('content-type', 'must be application/json');
  assertNotEncoded(headers);
  return parseJson(utf8(body));
}

function assertNotEncoded(headers: ReadonlyMap<string, string>): void {
  if (!/^(identity)?$/i.test(headers.get('content-encoding') ?? ''))
    throw unsupported(
      'content-encoding',
      'must be absent or identity: compressed bodies are not taken',
    );
}

function unsupported(name: string, message: string): AppError {
  return new AppError('unsupported_media_type', `the header ${name} ${message}`, {
    fields: [{ path: `/header/${name}`, message }],
  });
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_json', 'the body is not UTF-8', {
      cause,
      fields: [{ path: '', message: 'not UTF-8' }],
    });
  }
}
