import { afterEach, describe, expect, it } from 'vitest';
import { createPinning } from '../../../src/adapters/pinning/pinning.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { startPinning } from '../../../src/sandbox/launches/pinning-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function aStore(key = 'right') {
  const faults = createFaultBoard(createSeededRandom(1));
  const server = await startPinning({ faults, key: 'right', folder: null });
  const files = createPinning({ baseUrl: server.url, key });
  closing.push(
    () => server.close(),
    () => files.close(),
  );
  const read = async (uri: string): Promise<Buffer> => {
    const response = await fetch(`${server.url}/ipfs/${uri.split('/').at(-1)}`);
    return Buffer.from(await response.arrayBuffer());
  };
  return { faults, files, read };
}

const FILE = {
  bytes: Buffer.from([0, 13, 10, 45, 45, 255, 1]),
  mediaType: 'image/png',
  name: 'a.png',
};

describe('the store of public files', () => {
  it('keeps a file byte for byte under the name IPFS gives it, the same one each time', async () => {
    const { files, read } = await aStore();
    const uri = await files.put(FILE);
    // as `ipfs add --cid-version=1` names it: sha2-256 of the bytes, raw, in base32
    expect(uri).toMatch(/^https:\/\/ipfs\.io\/ipfs\/bafkrei[a-z2-7]{52}$/);
    expect(await files.put(FILE)).toBe(uri);
    expect(await read(uri)).toEqual(FILE.bytes);
  });

  it('is not believed when it names another file than the one uploaded', async () => {
    const { files, faults } = await aStore();
    faults.arm('pinning-other-file', { times: 1 });
    await expect(files.put(FILE)).rejects.toMatchObject({ code: 'files_unavailable' });
    expect(await files.put(FILE)).toContain('bafkrei');
  });

  it('is unavailable without an answer, with a wrong key, and without any', async () => {
    const { files, faults } = await aStore();
    faults.arm('pinning-down', { times: 1 });
    await expect(files.put(FILE)).rejects.toMatchObject({ code: 'files_unavailable' });
    const { files: stranger } = await aStore('wrong');
    await expect(stranger.put(FILE)).rejects.toMatchObject({
      message: expect.stringContaining('401'),
    });
    const none = createPinning({ baseUrl: 'http://127.0.0.1:1', key: null });
    closing.push(() => none.close());
    await expect(none.put(FILE)).rejects.toMatchObject({ retryable: false });
  });

  it('takes a picture of four megabytes', async () => {
    const { files, read } = await aStore();
    const bytes = Buffer.alloc(4 << 20, 9);
    expect((await read(await files.put({ ...FILE, bytes }))).equals(bytes)).toBe(true);
  });
});
