import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.ts';

/** Where the HTTP and WebSocket interface may name a venue: in what that venue adds to it. */
const OWN_FOLDER = /^src\/http\/routes\/venue-[a-d]\//;

describe('the names of venues', () => {
  it('stand nowhere in the interface but in what each venue adds to it', () => {
    const naming = sourceFiles(['src/http'])
      .filter(({ path, text }) => !OWN_FOLDER.test(path) && /venue[-_ ]?[a-d]\b/i.test(text))
      .map(({ path }) => path);
    expect(naming).toEqual([]);
  });
});
