import { randomBytes } from 'node:crypto';
import { decodeFunctionData, encodeFunctionResult, isAddress, isHex, parseAbi } from 'viem';
import { z } from 'zod';
import { SOCIAL_MODEL } from '../../../../config/limits/sandbox.ts';
import type { Clock } from '../../../ports/clock.ts';
import { createSocialPeople, type SignerRole, type SocialPeople } from './social-users.ts';
import {
  failed,
  ok,
  serveHttp,
  readJson,
  type Call,
  type Listening,
  type Reply,
} from '../../wire/http-server.ts';

const ID_REGISTRY = '0x00000000fc6c5f01fc30151999387bb99a9f489b';
const KEY_REGISTRY = '0x00000000fc1237824fb747abde0ff18990e59b7e';
const abi = parseAbi([
  'function idOf(address owner) view returns (uint256)',
  'function keyDataOf(uint256 fid, bytes key) view returns (uint8 state, uint32 keyType)',
]);

const channelSchema = z.object({
  siweUri: z.url(),
  domain: z.string().min(1).max(255),
  nonce: z
    .string()
    .regex(/^[a-zA-Z0-9]{8,}$/)
    .max(200)
    .exactOptional(),
  acceptAuthAddress: z.boolean().exactOptional(),
});
const rpcSchema = z.object({
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: z.array(z.unknown()).exactOptional(),
});
const callSchema = z.tuple([z.object({ to: z.string(), data: z.string() })], z.unknown());

/** A request that waits for a person's phone. */
interface Channel {
  readonly domain: string;
  readonly uri: string;
  readonly nonce: string;
  readonly acceptsAuthAddress: boolean;
  readonly endsAtMs: number;
  signed: {
    readonly fid: number;
    readonly role: SignerRole;
    readonly message: string;
    readonly signature: string;
    readonly custody: string;
  } | null;
}

/**
 * Serves the social protocol on 127.0.0.1: the relay's wire (`POST /v1/channel`, `GET
 * /v1/channel/status`), a JSON-RPC node of chain 10 that knows the registries and nothing else
 * (`POST /`), and, in the place of a telephone, `GET /approve?channelToken=…&fid=…`, which signs as
 * that person, or as person 1 where none is named; `&by=authAddress` signs by the address
 * registered for it, `&by=unregistered` by one that is not. Source: identity.md section 4.
 */
export async function startSocial({
  clock,
  seed,
  port,
}: {
  readonly clock: Clock;
  readonly seed: number;
  readonly port?: number;
}): Promise<Listening> {
  const people = createSocialPeople(seed);
  const channels = new Map<string, Channel>();
  const channelOf = (token: string): Channel | null => {
    const channel = channels.get(token);
    return channel === undefined || channel.endsAtMs <= clock.nowMs() ? null : channel;
  };
  let baseUrl = '';
  const server = await serveHttp({
    clock,
    ...(port === undefined ? {} : { port }),
    routes: [
      {
        method: 'POST',
        path: '/v1/channel',
        run: (call) => openChannel(channels, call, { nowMs: clock.nowMs(), baseUrl }),
      },
      {
        method: 'GET',
        path: '/v1/channel/status',
        run: ({ header }) => statusOf(channelOf(header('authorization').replace(/^Bearer /, ''))),
      },
      {
        method: 'GET',
        path: '/approve',
        run: ({ query }) =>
          approve(people, channelOf(query.get('channelToken') ?? ''), {
            query,
            nowMs: clock.nowMs(),
          }),
      },
      { method: 'POST', path: '/', run: ({ body }) => answerRpc(people, body) },
    ],
  });
  baseUrl = server.url;
  return server;
}

function openChannel(
  channels: Map<string, Channel>,
  { body }: Call,
  { nowMs, baseUrl }: { readonly nowMs: number; readonly baseUrl: string },
): Reply {
  const parsed = channelSchema.safeParse(readJson(body));
  if (!parsed.success) return failed(400, 'siweUri and domain are needed');
  const {
    siweUri: uri,
    domain,
    nonce = randomBytes(12).toString('hex'),
    acceptAuthAddress = false,
  } = parsed.data;
  const token = randomBytes(16).toString('hex').toUpperCase();
  channels.set(token, {
    domain,
    uri,
    nonce,
    acceptsAuthAddress: acceptAuthAddress,
    endsAtMs: nowMs + SOCIAL_MODEL.channelLifeMs,
    signed: null,
  });
  const [oldest] = channels.keys();
  if (channels.size > SOCIAL_MODEL.channelsMaximum && oldest !== undefined) channels.delete(oldest);
  return {
    ...ok({ channelToken: token, url: `${baseUrl}/approve?channelToken=${token}`, nonce }),
    status: 201,
  };
}

function statusOf(channel: Channel | null): Reply {
  if (channel === null) return failed(401, 'Unauthorized');
  const { nonce, signed } = channel;
  const common = {
    nonce,
    metadata: { ip: '127.0.0.1', userAgent: '' },
    acceptAuthAddress: channel.acceptsAuthAddress,
  };
  if (signed === null) return { ...ok({ state: 'pending', ...common }), status: 202 };
  const { fid, role, message, signature, custody } = signed;
  return ok({
    state: 'completed',
    ...common,
    message,
    signature,
    authMethod: role,
    fid,
    username: `user${fid}`,
    displayName: `User ${fid}`,
    bio: '',
    pfpUrl: '',
    verifications: [],
    custody,
  });
}

async function approve(
  people: SocialPeople,
  channel: Channel | null,
  { query, nowMs }: { readonly query: URLSearchParams; readonly nowMs: number },
): Promise<Reply> {
  if (channel === null) return failed(404, 'no such channel');
  const role = query.get('by') ?? 'custody';
  if (role !== 'custody' && role !== 'authAddress' && role !== 'unregistered')
    return failed(400, 'by is custody, authAddress or unregistered');
  if (role === 'authAddress' && !channel.acceptsAuthAddress)
    return failed(400, 'the channel takes no auth address');
  const fid = Number(query.get('fid') ?? SOCIAL_MODEL.fidOfTheTelephone);
  if (!Number.isInteger(fid) || fid < 1 || fid > SOCIAL_MODEL.fidMaximum)
    return failed(400, `fid is a whole number from 1 to ${SOCIAL_MODEL.fidMaximum}`);
  const { domain, uri, nonce } = channel;
  channel.signed = {
    fid,
    role,
    ...(await people.sign(fid, role, {
      domain,
      uri,
      nonce,
      issuedAt: timeText(nowMs),
      expiresAt: timeText(nowMs + SOCIAL_MODEL.messageLifeMs),
    })),
  };
  return ok({ fid, signed: true });
}

function answerRpc(people: SocialPeople, body: string): Reply {
  const parsed = rpcSchema.safeParse(readJson(body));
  if (!parsed.success)
    return ok({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'invalid request' } });
  const { id, method, params = [] } = parsed.data;
  if (method === 'eth_chainId') return ok({ jsonrpc: '2.0', id, result: '0xa' });
  if (method === 'eth_getCode') return ok({ jsonrpc: '2.0', id, result: '0x' });
  if (method !== 'eth_call')
    return ok({
      jsonrpc: '2.0',
      id,
      error: { code: -32_601, message: `the method ${method} does not exist` },
    });
  const call = callSchema.safeParse(params);
  return call.success
    ? ok({ jsonrpc: '2.0', id, result: readRegistry(people, call.data[0]) })
    : ok({ jsonrpc: '2.0', id, error: { code: -32_602, message: 'invalid params' } });
}

/**
 * What the registries say; a call to anything else succeeds with nothing, as where there is no
 * contract.
 */
function readRegistry(
  people: SocialPeople,
  { to, data }: { readonly to: string; readonly data: string },
): string {
  const asked =
    isHex(data) && [ID_REGISTRY, KEY_REGISTRY].includes(to.toLowerCase()) ? decode(data) : null;
  if (asked === null) return '0x';
  const { functionName, args } = asked;
  if (functionName === 'idOf')
    return encodeFunctionResult({ abi, functionName, result: BigInt(people.fidOf(args[0])) });
  const [fid, key] = args;
  const address = `0x${key.slice(-40)}`;
  const isKnown =
    key.length === 66 &&
    isAddress(address, { strict: false }) &&
    people.isAuthAddress(Number(fid), address);
  return encodeFunctionResult({ abi, functionName, result: isKnown ? [1, 2] : [0, 0] });
}

function decode(data: `0x${string}`): ReturnType<typeof decodeFunctionData<typeof abi>> | null {
  try {
    return decodeFunctionData({ abi, data });
  } catch {
    return null;
  }
}

function timeText(atMs: number): string {
  return new Date(atMs).toISOString();
}
