import { z } from 'zod';
import { DOCTOR } from '../../../config/limits/doctor.ts';
import type { Endpoints, Profile } from '../../../config/profiles/profile.ts';
import { createEvmChain } from '../../adapters/evm/evm-chain.ts';
import { createOpenId } from '../../adapters/open-id/open-id.ts';
import { createSocialRegistry, ID_REGISTRY } from '../../adapters/siwf/registry.ts';
import { SIWF_CHAIN_ID } from '../../adapters/siwf/siwf.ts';
import { vapidKeysOf } from '../../adapters/web-push/vapid-keys.ts';
import { createHttpCalls } from '../../adapters/wire/http-calls.ts';
import { readAnswer } from '../../adapters/wire/read-answer.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { check, fail, ok, skippedCheck, warn, type Check } from './check.ts';

/** Checks of sign-in, messages to browsers, and the assessor; each says where it is off. */
export function peopleChecks(
  { identity, push, credentials }: Pick<Profile, 'identity' | 'push' | 'credentials'>,
  endpoints: Pick<Endpoints, 'openId' | 'socialRpc' | 'socialRelay' | 'assessor'>,
  metrics: Metrics,
): readonly Check[] {
  return [
    openIdCheck(identity, endpoints.openId),
    socialCheck(identity, endpoints, metrics),
    phoneCheck(identity),
    pushCheck(push),
    assessorCheck(credentials, endpoints.assessor),
  ];
}

function openIdCheck({ google }: Profile['identity'], openId: Endpoints['openId']): Check {
  if (google === null || openId === null)
    return skippedCheck('sign-in by Google', 'PREDICTD_GOOGLE_CLIENT_ID is not set');
  const remedy = 'see PREDICTD_GOOGLE_ISSUER, and whether this machine reaches it';
  return check('sign-in by Google', { level: 'fail', remedy }, async () => {
    const provider = createOpenId({ ...google, issuer: openId }, DOCTOR.checkMs);
    // what it makes is the address a browser would be sent to, and none is
    const link = await provider.begin({
      state: 'doctor',
      nonce: 'doctor',
      verifier: 'd'.repeat(43),
    });
    return ok(
      `${new URL(openId).host} describes itself, and sends browsers to ${new URL(link).host}`,
    );
  });
}

function socialCheck(
  { social }: Profile['identity'],
  { socialRpc, socialRelay }: Pick<Endpoints, 'socialRpc' | 'socialRelay'>,
  metrics: Metrics,
): Check {
  if (social === null || socialRpc === null || socialRelay === null)
    return skippedCheck('social sign-in', 'PREDICTD_SOCIAL_DOMAIN is not set');
  const remedy = 'see PREDICTD_SOCIAL_RPC_URL';
  return check('social sign-in', { level: 'fail', remedy }, async () => {
    const chain = createEvmChain({ chainId: SIWF_CHAIN_ID, rpcUrl: socialRpc, metrics });
    // of an address without an identity: the answer is no, and that there is one is what counts
    await createSocialRegistry(chain).speaksFor(1n, ID_REGISTRY);
    return ok(`the node serves chain ${SIWF_CHAIN_ID}, and its registries answer`);
  });
}

const serviceSchema = z.object({ sid: z.string() });

function phoneCheck({ codes }: Profile['identity']): Check {
  const name = 'sign-in by phone';
  if (codes === 'none') return skippedCheck(name, 'PREDICTD_TWILIO_SERVICE is not set');
  if (codes === 'shown') return skippedCheck(name, "codes are shown on the daemon's terminal");
  const remedy = 'see PREDICTD_TWILIO_SERVICE, PREDICTD_TWILIO_ACCOUNT and PREDICTD_TWILIO_SECRET';
  return check(name, { level: 'fail', remedy }, async () => {
    const { baseUrl, serviceSid, username, password } = codes;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const answer = await readJson(
      baseUrl,
      `/Services/${serviceSid}`,
      `Basic ${basic}`,
      serviceSchema,
    );
    if (answer.kind === 'unread') return fail(`the service ${answer.why}`, remedy);
    return answer.kind === 'absent' || answer.value.sid !== serviceSid
      ? fail('the account has no such service', remedy)
      : ok('the account reads its Verify service; no code was sent');
  });
}

function pushCheck({ contact, privateKey }: Profile['push']): Check {
  const name = 'messages to browsers';
  if (contact === null) return skippedCheck(name, 'PREDICTD_PUSH_CONTACT is not set');
  if (privateKey === null)
    return skippedCheck(name, 'their key is the one that the store makes and seals');
  const remedy = 'make a key of P-256, or leave PREDICTD_PUSH_PRIVATE_KEY out';
  return check(name, { level: 'fail', remedy }, async () =>
    ok(`the private key is of P-256; browsers are shown ${vapidKeysOf(privateKey).publicKey}`),
  );
}

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

function assessorCheck(
  { assessor }: Profile['credentials'],
  baseUrl: Endpoints['assessor'],
): Check {
  if (assessor === null || baseUrl === null)
    return skippedCheck('assessor', 'PREDICTD_ASSESSOR_URL is not set; the strict filters hold');
  const remedy = 'see PREDICTD_ASSESSOR_URL, PREDICTD_ASSESSOR_KEY and PREDICTD_ASSESSOR_MODEL';
  return check('assessor', { level: 'warn', remedy }, async () => {
    const answer = await readJson(baseUrl, '/models', `Bearer ${assessor.key}`, modelsSchema);
    if (answer.kind !== 'read')
      return warn(`it ${answer.kind === 'absent' ? 'lists no models' : answer.why}`, remedy);
    return answer.value.data.some(({ id }) => id === assessor.model)
      ? ok(`it has the model ${assessor.model}`)
      : warn(`none of its ${answer.value.data.length} models is ${assessor.model}`, remedy);
  });
}

async function readJson<Schema extends z.ZodType>(
  baseUrl: string,
  path: string,
  authorization: string,
  schema: Schema,
) {
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum: 1,
    keepAliveMs: 1_000,
    connectTimeoutMs: DOCTOR.checkMs,
    answerMaximumBytes: DOCTOR.answerMaximumBytes,
    headers: { authorization },
  });
  try {
    return readAnswer(await calls.send({ method: 'GET', path, timeoutMs: DOCTOR.checkMs }), schema);
  } finally {
    await calls.close();
  }
}
