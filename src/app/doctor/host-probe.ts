import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What one question for the head of `/` shows of a host; times in ms since it was asked. */
export interface HostProbe {
  /** Null for a host that is named by its IP address. */
  readonly foundMs: number | null;
  readonly connectedMs: number;
  readonly answeredMs: number;
  readonly status: number;
  /** When its certificate ends, epoch ms; null without TLS. */
  readonly certificateEndsAtMs: number | null;
  /** Its `Date` less our time at the middle of the question, ms; null without one. */
  readonly clockAheadMs: number | null;
}

/** A `Date` shows whole seconds: on average its clock is half a second past them. */
const HALF_A_SECOND_MS = 500;

/**
 * Asks a host for the head of `/` over a connection of its own, without a key and without a path.
 * Sockets' addresses are asked by http too. Errors: the code of what failed.
 */
export function probeHost(address: string, timeoutMs: number): Promise<HostProbe> {
  const { protocol, hostname, port } = new URL(address);
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  const request = isSecure ? requestHttps : requestHttp;
  const deadline = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const beganAtMs = performance.now();
    const sentAtMs = Date.now();
    const since = (): number => performance.now() - beganAtMs;
    let foundMs: number | null = null;
    let connectedMs = 0;
    let certificateEndsAtMs: number | null = null;
    const asked = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? (isSecure ? 443 : 80) : Number(port),
        method: 'HEAD',
        path: '/',
        agent: false,
        headers: { 'user-agent': 'predictd/0.1' },
        signal: deadline,
      },
      (answer) => {
        answer.resume();
        resolve({
          foundMs,
          connectedMs,
          answeredMs: since(),
          status: answer.statusCode ?? 0,
          certificateEndsAtMs,
          clockAheadMs: clockAheadOf(answer, sentAtMs),
        });
        asked.destroy();
      },
    );
    asked.on('socket', (socket: Socket) => {
      socket.once('lookup', () => (foundMs = since()));
      socket.once('connect', () => (connectedMs = since()));
      if (socket instanceof TLSSocket)
        socket.once('secureConnect', () => {
          certificateEndsAtMs = Date.parse(socket.getPeerCertificate().valid_to);
        });
    });
    asked.on('error', (cause) =>
      reject(
        new Error(
          deadline.aborted
            ? `no answer within ${timeoutMs / 1_000} s`
            : 'code' in cause
              ? String(cause.code)
              : cause.name,
        ),
      ),
    );
    asked.end();
  });
}

function clockAheadOf({ headers }: IncomingMessage, sentAtMs: number): number | null {
  const theirsMs = Date.parse(headers.date ?? '');
  if (Number.isNaN(theirsMs)) return null;
  return theirsMs + HALF_A_SECOND_MS - (sentAtMs + Date.now()) / 2;
}
