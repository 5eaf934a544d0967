import { request, type Agent } from 'node:http';

/** A call to the API. */
export interface Question {
  readonly port: number;
  readonly method: string;
  /** Path with its query, sent as it is. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Address of this machine the call comes from (127.0.0.0/8), so that calls of many can be
   * distinguished.
   */
  readonly from?: string;
  /** Keeps connections; without it each call has its own. */
  readonly agent?: Agent;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Asks once. Rejects when the connection ends before an answer. */
export function ask({
  port,
  method,
  path,
  headers = {},
  body,
  from,
  agent,
}: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        ...(from === undefined ? {} : { localAddress: from }),
        agent: agent ?? false,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

/** The nth loopback address: budgets are counted by address, and a test is many people. */
export function loopback(index: number): string {
  return `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255 || 1}`;
}
