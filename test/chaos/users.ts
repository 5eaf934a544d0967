import { Client } from 'undici';
import { asId, type Address } from '../../src/domain/ids.ts';
import type { KeptService } from './service.ts';

/** A signed-in user, named, and has money at the venue. */
export interface Person {
  readonly userId: string;
  /** Whose funds their orders move. */
  readonly maker: Address;
  token: string;
  refreshToken: string;
}

/**
 * People of one address of this machine: thirty codes a day are sent for one
 * (config/limits/identity.ts).
 */
const PEOPLE_PER_ADDRESS = 10;
/** Numbers reserved for fiction: 100 in each area. */
const AREAS = ['202', '212', '213', '312', '415', '617'] as const;
const POLL_MS = 50;

interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly user: { readonly userId: string; readonly wallets: { readonly safe: string } };
}

/** Where people sign in, and what is printed there: codes. */
type Service = Pick<KeptService, 'url' | 'printed'>;

/**
 * Signs people in, one after another, each by a number of their own and from a few addresses of the
 * loopback, and waits for their money.
 */
export async function signUp(service: Service, count: number): Promise<readonly Person[]> {
  const url = await service.url();
  const people: Person[] = [];
  for (let from = 0; from < count; from += PEOPLE_PER_ADDRESS) {
    const client = new Client(url, { localAddress: `127.0.0.${2 + from / PEOPLE_PER_ADDRESS}` });
    for (let index = from; index < Math.min(from + PEOPLE_PER_ADDRESS, count); index += 1)
      people.push(await signIn(client, service, index));
    await client.close();
  }
  const client = new Client(url);
  for (const person of people) await funded(client, person);
  await client.close();
  return people;
}

async function signIn(client: Client, service: Service, index: number): Promise<Person> {
  const phone = `+1${AREAS[Math.floor(index / 100)] ?? ''}55501${String(index % 100).padStart(2, '0')}`;
  const shown = codesShown(service, phone).length;
  const { challengeId } = await call<{ challengeId: string }>(
    client,
    'POST',
    '/api/auth/otp/request',
    { phone },
  );
  const code = await nextCode(service, phone, shown);
  const {
    accessToken: token,
    refreshToken,
    user,
  } = await call<SignedIn>(client, 'POST', '/api/auth/otp/verify', { challengeId, code });
  await call(client, 'PUT', '/api/user/profile', { username: `person_${index}` }, token);
  return { userId: user.userId, maker: asId<Address>(user.wallets.safe), token, refreshToken };
}

/** Codes shown so far for numbers with these last digits; others are not shown. */
function codesShown(service: Service, phone: string): readonly string[] {
  return [
    ...service.printed().matchAll(new RegExp(`code for \\S+${phone.slice(-4)}: (\\d{6})`, 'g')),
  ].map(([, code = '']) => code);
}

/** The code after so many others: the terminal may show it a moment after the answer. */
async function nextCode(service: Service, phone: string, after: number): Promise<string> {
  for (;;) {
    const code = codesShown(service, phone)[after];
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function funded(client: Client, { token }: Person): Promise<void> {
  for (;;) {
    const { cash } = await call<{ cash: { settled: string } }>(
      client,
      'GET',
      '/api/venue_a/holding/',
      undefined,
      token,
    );
    if (cash.settled !== '0') return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** One call that must succeed. */
async function call<Answer>(
  client: Client,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  token?: string,
): Promise<Answer> {
  for (;;) {
    const {
      statusCode,
      body: said,
      headers,
    } = await client.request({
      method,
      path,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await said.text();
    // the caller names the route's own answer
    if (statusCode < 300) return JSON.parse(text) as Answer;
    if (statusCode !== 429) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
    await new Promise((resolve) =>
      setTimeout(resolve, Number(headers['retry-after'] ?? 1) * 1_000),
    );
  }
}
