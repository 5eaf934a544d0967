import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readmePaths } from './readme-files.ts';
import { ROOT, sourceFiles, type SourceFile } from './source-files.ts';

interface Refused {
  readonly word: string;
  /** How often comments, names and test sentences of the whole tree may still have it. */
  readonly maximum: number;
  readonly instead: string;
  /** Not gone yet from what is read outside. */
  readonly isInTexts?: true;
}

/**
 * Words that hide who acts and what happens. Lower a maximum with every change that removes some;
 * it is never raised. What users, builders and operators read holds none of them.
 */
const REFUSED: readonly Refused[] = [
  { word: 'told', maximum: 396, instead: 'notified, sent, published, reported or answered' },
  { word: 'nobody', maximum: 244, instead: 'no user, no caller, no client; unused, not read' },
  { word: 'somebody', maximum: 145, instead: 'a user, a caller, another client, an operator' },
  { word: 'of ours', maximum: 27, instead: 'of this service, known, listed' },
  { word: 'is none', maximum: 58, instead: 'is absent, is invalid, null without one' },
  { word: 'word of', maximum: 13, instead: 'the report, answer or status of' },
  { word: 'trouble', maximum: 0, instead: 'problem, failure, degraded' },
  { word: 'stands', maximum: 288, instead: 'is, is kept, lies at', isInTexts: true },
  { word: 'look', maximum: 853, instead: 'read, check, poll, lookup', isInTexts: true },
];

/** This file names the words. */
const OWN_PATH = 'test/repository/words.test.ts';

/** Texts that cannot change: recorded receipts hold them, and are compared word by word. */
const RECORDED = new Set([
  "reason: 'The oracle price is the price to beat: nobody leads.',",
  "return { verdict: 'skip', outcome: null, criteria: [], reason: 'Nobody watches the round.' };",
]);

/** Names of an interface or of stored records, which stay. */
const KEPT_NAMES = /stream_trouble_users|isToldByTransfer|look_alike|look_before_trading/g;

interface Found {
  readonly word: string;
  readonly path: string;
  readonly line: number;
  readonly isInTexts: true | undefined;
}

/**
 * A word as such, or as a part of a name: `toldCount`, `wasTold` and `TOLD_ID` have "told". The
 * words of a phrase may be on two lines of a comment.
 */
function patternOf(word: string): RegExp {
  const [first = '', second] = word.split(' ');
  if (second !== undefined)
    return new RegExp(String.raw`(?<!const )\b${first}\s+(?:\*\s+|//\s+)?${second}\b`, 'gi');
  const capital = `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`;
  const upper = first.toUpperCase();
  return new RegExp(
    `(?<![A-Za-z])${first}(?![a-z])|${capital}(?![a-z])|(?<![A-Z])${upper}(?![A-Za-z])`,
    'g',
  );
}

const PATTERNS = REFUSED.map((refused) => ({ ...refused, pattern: patternOf(refused.word) }));

function foundIn({ path, text: full }: SourceFile): readonly Found[] {
  const text = full.replace(KEPT_NAMES, '');
  return PATTERNS.flatMap(({ word, pattern, isInTexts }) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      word,
      path,
      isInTexts,
      line: text.slice(0, index).split('\n').length,
    })),
  );
}

/** A text of TypeScript without its comments, on the same lines. */
function withoutComments({ path, text }: SourceFile): SourceFile {
  const code = text.replace(/^\s*\{?\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  );
  return { path, text: code };
}

function read(path: string): SourceFile {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

const sources = sourceFiles(['src', 'machines', 'streams', 'config', 'test']).filter(
  ({ path }) => path !== OWN_PATH,
);
const ALERTS = 'config/prometheus/rules';

describe('words', () => {
  it('of what is read outside are standard terms: READMEs, alerts, errors, log events, pages', () => {
    const texts = [
      ...readmePaths().map(read),
      ...readdirSync(join(ROOT, ALERTS)).map((name) => read(`${ALERTS}/${name}`)),
      ...sources.filter(({ path }) => !path.startsWith('test')).map(withoutComments),
    ];
    const found = texts.flatMap((file) => {
      const lines = file.text.split('\n');
      return foundIn(file).flatMap(({ word, path, line, isInTexts }) => {
        const text = (lines[line - 1] ?? '').trim();
        return isInTexts || RECORDED.has(text) ? [] : [`${path}:${line}: ${word}: ${text}`];
      });
    });
    expect(texts.length).toBeGreaterThan(1_000);
    expect(found).toEqual([]);
  });

  it.each(REFUSED)(
    'of comments, names and test sentences: $word is in no more places than before',
    ({ word, maximum, instead }) => {
      const found = sources.flatMap(foundIn).filter((each) => each.word === word);
      const changedMs = new Map(
        found.map(({ path }) => [path, statSync(join(ROOT, path)).mtimeMs] as const),
      );
      const newest = found
        .toSorted((one, other) => (changedMs.get(other.path) ?? 0) - (changedMs.get(one.path) ?? 0))
        .slice(0, 10)
        .map(({ path, line }) => `${path}:${line}`);
      expect(
        found.length,
        `"${word}" is in ${found.length} places, ${maximum} are allowed; write: ${instead}. In the files changed last: ${newest.join(', ')}`,
      ).toBeLessThanOrEqual(maximum);
    },
  );
});
