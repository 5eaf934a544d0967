import { describe, expect, it } from 'vitest';
import { fullDiskSentence } from '../../../src/adapters/files/full-disk.ts';

const failure = (code: string) => Object.assign(new Error(`${code}: write`), { code });
const SENTENCE =
  'the disk that holds /data is full; make room there and start again: what was acknowledged is kept.';

describe('a write that failed', () => {
  it.each([
    ['for want of room on the disk', failure('ENOSPC'), SENTENCE],
    ['for want of room in a share of it', failure('EDQUOT'), SENTENCE],
    ['because of such a failure', new Error('not stored', { cause: failure('ENOSPC') }), SENTENCE],
    ['for another reason', failure('EACCES'), null],
    ['with what is no error', 'ENOSPC', null],
  ])('%s is described in a sentence that names the folder, or not at all', (_, cause, sentence) => {
    expect(fullDiskSentence(cause, '/data')).toBe(sentence);
  });
});
