import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readmePaths } from './readme-files.ts';
import { ROOT, sourceFiles, type SourceFile } from './source-files.ts';

/** Words that hide who acts and what happens, and what to write in their place. */
const REFUSED = [
  ['told', 'notified, sent, published, reported or answered'],
  ['nobody', 'no user, no caller, no client; unused, not read'],
  ['somebody', 'a user, a caller, another client, an operator'],
  ['of ours', 'of this service, known, listed'],
  ['is none', 'is absent, is invalid, null without one'],
  ['word of', 'the report, answer or status of'],
  ['trouble', 'problem, failure, degraded'],
  ['stands', 'is, is kept, lies at'],
  ['look', 'read, check, poll, lookup'],
] as const;

/** The two that READMEs and alerts may still have as plain English. */
const ALLOWED_IN_PROSE: readonly string[] = ['stands', 'look'];

/** This file names the words. */
const OWN_PATH = 'test/repository/words.test.ts';

/**
 * What stays: names of the interface, of metrics and of stored records, sentences that recorded
 * receipts hold and are compared by, and cases as the reference of survival has them.
 */
const KEPT = [
  'stream_trouble_users',
  'isToldByTransfer',
  'look_alike',
  'look_before_trading',
  'The oracle price is the price to beat: nobody leads.',
  'Nobody watches the round.',
  'The prediction is none, needed Up or Down.',
  'order ends cancelled, agent told',
  'seen, orders end, agents told',
];

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

const PATTERNS = REFUSED.map(([word, instead]) => ({ word, instead, pattern: patternOf(word) }));

function foundIn({ path, text: full }: SourceFile, allowed: readonly string[] = []): string[] {
  const text = KEPT.reduce((rest, kept) => rest.replaceAll(kept, ''), full);
  return PATTERNS.filter(({ word }) => !allowed.includes(word)).flatMap(
    ({ word, instead, pattern }) =>
      [...text.matchAll(pattern)].map(
        ({ index }) =>
          `${path}:${text.slice(0, index).split('\n').length}: "${word}": write ${instead}`,
      ),
  );
}

function read(path: string): SourceFile {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

const ALERTS = 'config/prometheus/rules';

describe('words', () => {
  it('of sources and tests are standard terms: names, comments, texts and sentences', () => {
    const files = sourceFiles(['src', 'machines', 'streams', 'config', 'test']).filter(
      ({ path }) => path !== OWN_PATH,
    );
    expect(files.length).toBeGreaterThan(2_000);
    expect(files.flatMap((file) => foundIn(file))).toEqual([]);
  });

  it('of READMEs and alerts are standard terms', () => {
    const texts = [
      ...readmePaths().map(read),
      ...readdirSync(join(ROOT, ALERTS)).map((name) => read(`${ALERTS}/${name}`)),
    ];
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.flatMap((file) => foundIn(file, ALLOWED_IN_PROSE))).toEqual([]);
  });
});
