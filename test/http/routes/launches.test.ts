import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { PUBLIC_FILES } from '../../../config/limits/launches.ts';
import { IMAGE_ID } from '../../support/fakes/fake-launches.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const user = await api.signIn();
const BODY = { name: 'Coffee', symbol: 'BREW', description: 'Early.', imageId: IMAGE_ID };

async function upload(bytes: Uint8Array, type = 'image/png') {
  const response = await fetch(`${api.url}/api/web3/memelaunch/image`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
    body: new Uint8Array(bytes),
  });
  // an answer of this service is JSON
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('a picture', () => {
  it('is the body itself, up to four megabytes', async () => {
    const whole = await upload(Buffer.alloc(PUBLIC_FILES.imageMaximumBytes, 1));
    expect(whole).toMatchObject({
      status: 201,
      body: { imageId: IMAGE_ID, bytes: PUBLIC_FILES.imageMaximumBytes },
    });
    const over = await upload(Buffer.alloc(PUBLIC_FILES.imageMaximumBytes + 1, 1));
    expect(over).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });

  it('has a media type of a picture, and is not nothing', async () => {
    expect(await upload(Buffer.alloc(9), 'application/json')).toMatchObject({ status: 415 });
    expect(await upload(Buffer.alloc(0))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('is not waited for where the caller may not send one', async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    // the whole head, and nothing of the body it announces
    socket.write(
      `POST /api/web3/memelaunch/image HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: image/png\r\nContent-Length: ${PUBLIC_FILES.imageMaximumBytes}\r\n\r\n`,
    );
    const parts: Buffer[] = [];
    // the connection ends with the answer
    for await (const part of socket) parts.push(part as Buffer);
    const answer = Buffer.concat(parts).toString();
    expect(answer.slice(0, 12)).toBe('HTTP/1.1 401');
    expect(await upload(Buffer.alloc(9, 1))).toMatchObject({ status: 201 });
  });

  it('leaves every other call with its own limit', async () => {
    const answer = await api.request('POST', '/api/web3/memelaunch/launch', {
      token: user.token,
      body: { ...BODY, description: 'x'.repeat(70_000) },
    });
    expect(answer.status).toBe(413);
  });
});

describe('a launch', () => {
  it('is refused with a sentence where a first buy is asked for', async () => {
    const answer = await api.request('POST', '/api/web3/memelaunch/launch', {
      token: user.token,
      body: { ...BODY, firstBuySol: '0.5' },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            path: '/firstBuySol',
            message:
              'a first buy is not offered: launch the token first, then buy it as anybody does',
          },
        ],
      },
    });
  });

  it('shows its addresses, is listed and looked up, by its own user alone', async () => {
    const made = await api.request('POST', '/api/web3/memelaunch/launch', {
      token: user.token,
      body: BODY,
    });
    expect(made).toMatchObject({
      status: 201,
      body: { state: 'launched', mint: expect.any(String), bondingCurve: expect.any(String) },
    });
    const path = `/api/web3/memelaunch/${String(made.body['launchId'])}/`;
    const get = (token: string) => api.request('GET', path, { token });
    expect((await get(user.token)).body).toEqual(made.body);
    expect((await get((await api.signIn()).token)).status).toBe(404);
  });
});
