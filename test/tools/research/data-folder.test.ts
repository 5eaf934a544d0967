import { describe, expect, it } from 'vitest';
import { csvLines } from '../../../src/tools/research/data-folder.ts';

describe('CSV', () => {
  it.each<readonly [string, string, readonly (readonly string[])[]]>([
    [
      'plain lines',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no end of the last line',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'empty cells',
      'a,,\n,,c\n',
      [
        ['a', '', ''],
        ['', '', 'c'],
      ],
    ],
    [
      'quoted commas, quotes and line ends',
      '"x, y","say ""no""","two\nlines"\n',
      [['x, y', 'say "no"', 'two\nlines']],
    ],
    [
      'line ends of other systems',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['nothing', '', []],
  ])('reads %s', (_what, text, lines) => {
    expect(csvLines(text)).toEqual(lines);
  });
});
