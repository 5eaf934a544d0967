import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createSocialRelay } from '../../../src/adapters/siwf/relay.ts';
import type { SocialRelay } from '../../../src/ports/social.ts';

const TERMS = { domain: 'predictd.example', uri: 'https://predictd.example/', nonce: 'abcdefgh1' };
const OPENED = {
  channelToken: 'F0A1B2C3D4E5',
  url: 'https://farcaster.xyz/~/siwf?channelToken=F0A1B2C3D4E5',
  nonce: TERMS.nonce,
};
const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** A relay whose server answers everything with one answer. */
async function answering(status: number, body: unknown): Promise<SocialRelay> {
  const server: Server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const relay = createSocialRelay({ baseUrl: `http://127.0.0.1:${port}` });
  open.push({
    close() {
      void relay.close();
      server.close();
    },
  });
  return relay;
}

describe('what a relay of the social protocol answers', () => {
  it('is a link for people where it opens a page or the app', async () => {
    for (const url of [OPENED.url, 'farcaster://connect?channelToken=F0A1B2C3D4E5']) {
      const relay = await answering(201, { ...OPENED, url });
      expect(await relay.open(TERMS)).toEqual({ token: OPENED.channelToken, link: url });
    }
  });

  it.each([
    ['a script for a link', 201, { ...OPENED, url: 'javascript:alert(1)' }],
    ['a page in the open for a link', 201, { ...OPENED, url: 'http://farcaster.xyz/' }],
    [
      'a link too long to read from a screen',
      201,
      { ...OPENED, url: `https://a.example/${'x'.repeat(600)}` },
    ],
    ['another nonce', 201, { ...OPENED, nonce: 'another12345' }],
    ['a token that would break a header', 201, { ...OPENED, channelToken: 'a\r\nb: cdefgh' }],
    ['no JSON', 201, '<html>'],
    ['a refusal', 400, {}],
    ['a fault', 503, {}],
  ])('is no channel where it is %s', async (_what, status, body) => {
    const relay = await answering(status, body);
    await expect(relay.open(TERMS)).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      retryable: true,
    });
  });

  it.each([
    ['a fault', 500, {}],
    [
      'a malformed signature',
      200,
      { state: 'completed', nonce: 'n', message: 'm', signature: 'x' },
    ],
    ['something unfinished', 200, { state: 'pending' }],
  ])('is unavailable, not a refusal, where it is %s', async (_what, status, body) => {
    const relay = await answering(status, body);
    await expect(relay.signed('F0A1B2C3D4E5')).rejects.toMatchObject({
      code: 'sign_in_unavailable',
    });
  });

  it('is over where the relay knows the channel no more', async () => {
    const relay = await answering(401, { error: 'Unauthorized' });
    await expect(relay.signed('F0A1B2C3D4E5')).rejects.toMatchObject({ code: 'code_expired' });
  });
});
