import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.ts';

/** Columns of a line, as the formatter's setting in config/format.json has it. */
const COLUMNS = 100;

const files = sourceFiles(['src', 'machines', 'streams', 'config', 'test']);

describe('comments', () => {
  it('end within the formatter’s columns, which wraps code and leaves them as they are', () => {
    const wide = files.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, at) =>
          /^\s*(\/\/|\/?\*)/.test(line) && line.length > COLUMNS ? [`${path}:${at + 1}`] : [],
        ),
    );
    expect(wide).toEqual([]);
  });

  it('say more of an interface than that something needs it, which its name says', () => {
    const empty =
      /^\/\*\* What [^.\n]*\b(?:needs?|works? with|made of)\. \*\/\n(?:export )?interface \w+(?:Deps|Parts|Options)\b/m;
    expect(files.filter(({ text }) => empty.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
