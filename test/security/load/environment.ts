import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { familyOf, startDaemon, untilGone, type Daemon } from '../../crash/support/daemon.ts';
import { ask, loopback } from '../ask.ts';

/** A user with an account. */
export interface Citizen {
  readonly userId: string;
  readonly token: string;
  readonly refreshToken: string;
}

/** A daemon on its sandbox, and people in it. */
export interface Environment {
  readonly daemon: Daemon;
  readonly port: number;
  /** Its data folder, gone once it has left. */
  readonly folder: string;
  /** Signs a new person in, from an address of their own. */
  settle(number: number): Promise<Citizen>;
  /** Memory of the daemon's process, in bytes (proc(5)). */
  residentBytes(): number;
  /** Ends the daemon as Ctrl-C does; gives its exit code. */
  leave(): Promise<number | null>;
}

const SIGN_IN_ADDRESSES = 200_000;

/** Starts a daemon in a folder of its own; `preload` is a module that is loaded into it before. */
export async function startEnvironment(
  settings: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-environment-'));
  const daemon = startDaemon(
    { PREDICTD_DATA: folder, PREDICTD_LOG_LEVEL: 'warn', ...settings },
    preload === undefined ? {} : { preload },
  );
  // a start that fails rejects here, and its words are in the error
  const port = Number(new URL(await daemon.url()).port);
  return {
    daemon,
    port,
    folder,
    settle: (number) => settle({ daemon, port }, number),
    residentBytes: () =>
      Number(
        /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1] ?? 0,
      ) * 1_024,
    async leave() {
      const family = familyOf(daemon.pid);
      daemon.signal('SIGTERM');
      const { code } = await daemon.ended;
      await untilGone(family);
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

async function settle(
  { daemon, port }: Pick<Environment, 'daemon' | 'port'>,
  number: number,
): Promise<Citizen> {
  const phone = `+1202556${String(number).padStart(4, '0')}`;
  const from = loopback(SIGN_IN_ADDRESSES + number);
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const { status, text } = await ask({
      port,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      from,
    });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  const { challengeId } = await post('/api/auth/otp/request', { phone });
  const shown = phone.slice(-4);
  const [, code] = await daemon.saw(new RegExp(`code for \\S*${shown}: (\\d{6})`));
  const { accessToken, refreshToken, user } = await post('/api/auth/otp/verify', {
    challengeId,
    code,
  });
  const token = String(accessToken);
  const named = await ask({
    port,
    method: 'PUT',
    path: '/api/user/profile',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: `citizen_${lettersOf(number)}` }),
    from,
  });
  if (named.status !== 200) throw new Error(`the name was refused: ${named.text}`);
  // the answer's shape is the interface's own, which its tests hold
  const { userId } = user as { readonly userId: string };
  return { userId, token, refreshToken: String(refreshToken) };
}

/** A number in letters that are not similar: names that are similar are refused. */
function lettersOf(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghkm'[Number(digit)] ?? 'a');
}
