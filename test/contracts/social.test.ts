import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createEvmChain } from '../../src/adapters/evm/evm-chain.ts';
import { createSocialRegistry } from '../../src/adapters/siwf/registry.ts';
import { createSiwf } from '../../src/adapters/siwf/siwf.ts';
import { startSocial } from '../../src/sandbox/identity/social/social.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { createModelSocial } from '../support/fakes/model-identity-providers.ts';
import { describeSocial } from './social.ts';

describeSocial('the model', async () => {
  const nowMs = (): number => 1_800_000_000_000;
  const model = createModelSocial(nowMs);
  return {
    login: model.login,
    nowMs,
    sign: (fid, asked, role) => model.sign(fid, asked, role),
    end: async () => undefined,
  };
});

/** The relay as a person's browser and phone use it (identity.md section 4). */
async function signByRelay(
  url: string,
  fid: number,
  body: Readonly<Record<string, unknown>>,
  role: string,
): Promise<{ message: string; signature: string }> {
  const read = async (response: Response): Promise<Record<string, unknown>> =>
    (await response.json()) as Record<string, unknown>; // the relay answers objects
  const channel = await read(
    await fetch(`${url}/v1/channel`, { method: 'POST', body: JSON.stringify(body) }),
  );
  const status = (): Promise<Response> =>
    fetch(`${url}/v1/channel/status`, {
      headers: { authorization: `Bearer ${String(channel.channelToken)}` },
    });
  const before = await status();
  if (before.status !== 202) throw new Error(`an unanswered channel is ${before.status}`);
  await fetch(`${String(channel.url)}&fid=${fid}&by=${role}`);
  const { message, signature, nonce, state } = await read(await status());
  if (state !== 'completed' || nonce !== body.nonce)
    throw new Error('the relay reported another channel');
  return { message: String(message), signature: String(signature) };
}

describeSocial('a node and a relay over the wire', async () => {
  const clock = createWallClock();
  const server = await startSocial({ clock, seed: 9 });
  const chain = createEvmChain({
    chainId: 10,
    rpcUrl: server.url,
    metrics: createCountingMetrics(),
  });
  return {
    login: createSiwf(createSocialRegistry(chain)),
    nowMs: () => clock.nowMs(),
    sign: (fid, { domain, uri, nonce }, role) =>
      signByRelay(server.url, fid, { siweUri: uri, domain, nonce, acceptAuthAddress: true }, role),
    end: () => server.close(),
  };
});
