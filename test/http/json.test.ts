import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { parseJson } from '../../src/http/json.ts';

function faultOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error instanceof AppError ? [error.code, error.fields] : error;
  }
}

describe('parseJson', () => {
  it('reads what JSON.parse reads, for any value written by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8, noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('overlooks one byte order mark at the beginning, and none elsewhere', () => {
    expect([parseJson('\uFEFF{"a":1}'), faultOf('\uFEFF\uFEFF{}'), faultOf('{\uFEFF}')]).toEqual([
      { a: 1 },
      ['invalid_json', expect.anything()],
      ['invalid_json', expect.anything()],
    ]);
  });

  it('never throws anything but invalid_json, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[[\]{}",:0-9eE.+\-a-z\\ ]{0,30}$/)),
        (text) => {
          try {
            expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_json' });
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['{"price":1e400}', '/price'],
    ['{"price":NaN}', '/price'],
    ['{"price":-Infinity}', '/price'],
    ['{"price":0.12345678901234567890}', '/price'],
    ['{"price":1e-400}', '/price'],
    ['{"a":{"b":[1,{"c":01}]}}', '/a/b/1'],
    ['{"a":1,"a":2}', '/a'],
    ['{"a/b~c":tru}', '/a~1b~0c'],
    ['{"a":"\\ud800"}', '/a'],
    ['{"a":"\\x"}', '/a'],
    ['{"a":"\n"}', '/a'],
    ['{"a":1', ''],
    ['', ''],
    ['{} {}', ''],
    [`${'['.repeat(40)}${']'.repeat(40)}`, '/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0'],
  ])('refuses %s with the place of the fault', (text, path) => {
    expect(faultOf(text)).toEqual([
      'invalid_json',
      [{ path, message: expect.stringMatching(/position \d+/) }],
    ]);
  });

  it('keeps numbers whose digits a float can hold', () => {
    expect(
      parseJson('[0.1, 9007199254740991, 1e3, 1.10, 0.000001, -0, 12345678901234567000]'),
    ).toEqual([0.1, 9_007_199_254_740_991, 1_000, 1.1, 0.000001, 0, 12_345_678_901_234_567_000]);
  });
});
