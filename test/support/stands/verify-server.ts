import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next calls go wrong. */
export type VerifyFault =
  | 'server_error'
  | 'no_answer'
  | 'reset'
  | 'no_json'
  | 'unknown_meaning'
  | 'foreign_verification';

/** A telephone service on the wire of Twilio Verify v2, on loopback (identity.md section 1.4). */
export interface VerifyServer {
  readonly url: string;
  readonly serviceSid: string;
  readonly username: string;
  readonly password: string;
  /** The last code a phone was sent; null when there was none. */
  codeFor(phone: string): string | null;
  /** Time after which codes are too old, moved on. */
  advance(ms: number): void;
  /** Makes one call go wrong. */
  fail(how: VerifyFault): void;
  /** Refuses texts to numbers that begin so, with the service's own number for the reason. */
  refuse(prefix: string, status: number, code: number): void;
  readonly seen: {
    readonly path: string;
    readonly form: Readonly<Record<string, string>>;
    readonly contentType: string;
  }[];
  close(): Promise<void>;
}

interface Held {
  readonly sid: string;
  readonly to: string;
  readonly code: string;
  readonly atMs: number;
  status: 'pending' | 'approved' | 'canceled' | 'expired';
  sends: number;
  checks: number;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const LIFE_MS = 600_000;
const SENDS = 5;
const CHECKS = 5;

export async function startVerifyServer(): Promise<VerifyServer> {
  const [serviceSid, username, password] = [
    `VA${randomBytes(16).toString('hex')}`,
    `AC${randomBytes(16).toString('hex')}`,
    'the-auth-token',
  ];
  const held: Held[] = [];
  const faults: VerifyFault[] = [];
  const refusals: { prefix: string; status: number; code: number }[] = [];
  const seen: { path: string; form: Record<string, string>; contentType: string }[] = [];
  let nowMs = 0;
  const live = (matches: (each: Held) => boolean): Held | undefined =>
    held.find((each) => matches(each) && each.status === 'pending' && nowMs - each.atMs < LIFE_MS);

  function send(form: Record<string, string>): Reply {
    const { To: to = '', Channel: channel } = form;
    if (!/^\+\d{8,15}$/.test(to) || channel !== 'sms') return refusal(400, 60_200);
    const blocked = refusals.find(({ prefix }) => to.startsWith(prefix));
    if (blocked !== undefined) return refusal(blocked.status, blocked.code);
    let verification = live((each) => each.to === to);
    if (verification === undefined) {
      verification = {
        sid: `VE${randomBytes(16).toString('hex')}`,
        to,
        code: String(held.length * 7_919 + 104_729)
          .padStart(6, '0')
          .slice(-6),
        atMs: nowMs,
        status: 'pending',
        sends: 0,
        checks: 0,
      };
      held.push(verification);
    }
    if (verification.sends >= SENDS) return refusal(429, 60_203);
    verification.sends += 1;
    return { status: 201, body: view(verification) };
  }

  function check(form: Record<string, string>): Reply {
    const verification = live((each) => each.sid === form.VerificationSid || each.to === form.To);
    if (verification === undefined) return refusal(404, 20_404);
    if (verification.checks >= CHECKS) return refusal(429, 60_202);
    verification.checks += 1;
    if (verification.code === form.Code) verification.status = 'approved';
    return { status: 200, body: view(verification) };
  }

  function answer(path: string, form: Record<string, string>): Reply {
    const base = `/v2/Services/${serviceSid}`;
    if (path === `${base}/Verifications`) return send(form);
    if (path === `${base}/VerificationCheck`) return check(form);
    const verification = live((each) => path === `${base}/Verifications/${each.sid}`);
    if (verification === undefined) return refusal(404, 20_404);
    if (form.Status !== 'canceled') return refusal(400, 60_200);
    verification.status = 'canceled';
    return { status: 200, body: view(verification) };
  }

  const server = createServer((request, response) => {
    void readForm(request).then((form) => {
      seen.push({
        path: request.url ?? '',
        form,
        contentType: request.headers['content-type'] ?? '',
      });
      const right = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      const reply =
        request.headers.authorization === right
          ? answer(request.url ?? '', form)
          : refusal(401, 20_003);
      const fault = faults.shift();
      if (fault === 'no_answer') return;
      if (fault === 'reset') {
        request.socket.destroy();
        return;
      }
      const { status, body } = fault === undefined ? reply : broken(fault, reply);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}/v2`,
    serviceSid,
    username,
    password,
    seen,
    codeFor: (phone) => held.findLast(({ to }) => to === phone)?.code ?? null,
    advance: (ms) => void (nowMs += ms),
    fail: (how) => void faults.push(how),
    refuse: (prefix, status, code) => void refusals.push({ prefix, status, code }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function view({ sid, to, status, sends }: Held): unknown {
    return {
      sid,
      service_sid: serviceSid,
      account_sid: username,
      to,
      channel: 'sms',
      status,
      valid: status === 'approved',
      send_code_attempts: Array.from({ length: sends }, () => ({ channel: 'sms' })),
      lookup: {},
      amount: null,
      payee: null,
    };
  }
}

function broken(fault: VerifyFault, reply: Reply): Reply {
  if (fault === 'server_error')
    return { status: 503, body: { code: 20_503, message: 'Service unavailable', status: 503 } };
  if (fault === 'no_json') return { status: 200, body: '<html>' };
  const body = reply.body as Record<string, unknown>; // every answer of this server is an object
  return {
    status: reply.status,
    body:
      fault === 'foreign_verification'
        ? { ...body, to: '+4915112345678' }
        : { ...body, status: 'resting' },
  };
}

function refusal(status: number, code: number): Reply {
  return {
    status,
    body: {
      code,
      message: `refused with ${code}`,
      more_info: `https://www.twilio.com/docs/errors/${code}`,
      status,
    },
  };
}

async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer); // a request without an encoding gives buffers
  return Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString('utf8')));
}
