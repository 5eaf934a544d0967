import type { Chance } from './chance.ts';

/**
 * A value as text that goes into a body unchanged: JSON, or something similar to it.
 */
export type RawJson = string;

const long = (length: number): string => JSON.stringify('x'.repeat(length));

/** Values no field was made for, as the text that is sent. */
const VALUES: readonly ((chance: Chance) => RawJson)[] = [
  () => 'null',
  () => 'true',
  () => 'false',
  () => '0',
  () => '-0',
  () => '-1',
  () => '1e400',
  () => '-1e400',
  () => '1e-400',
  () => '9007199254740993',
  () => '0.1e1',
  () => '1E5',
  () => '01',
  () => '.5',
  () => '5.',
  () => '+1',
  () => 'NaN',
  () => 'Infinity',
  () => 'undefined',
  () => '0x10',
  () => '""',
  () => '" "',
  () => '"\\u0000"',
  () => '"\\ud800"',
  () => '"\\udc00\\ud800"',
  () => '"\\u202e"',
  () => '"\u{1F4A9}"',
  () => '"\\"',
  () => '"\t"',
  () => "'x'",
  () => '"1e5"',
  () => '"-1"',
  () => '"0x10"',
  () => '"١٢"',
  () => '"1,000"',
  () => '" 1"',
  () => '"1 "',
  () => '"0.0000001"',
  () => '"99999999999999999999999999"',
  () => '"NaN"',
  () => '"Infinity"',
  () => '"__proto__"',
  () => '"constructor"',
  () => '"toString"',
  () => '"../../etc/passwd"',
  () => '"<script>alert(1)</script>"',
  () => '"\'; DROP TABLE users; --"',
  () => '"${jndi:ldap://x}"',
  () => '"{{7*7}}"',
  () => '"\\r\\nSet-Cookie: a=b"',
  () => '[]',
  () => '{}',
  () => '[null]',
  () => '[[]]',
  () => '{"":""}',
  () => '{"__proto__":{"isAdmin":true}}',
  () => '{"constructor":{"prototype":{"isAdmin":true}}}',
  () => '{"toJSON":1}',
  () => '{"then":1}',
  () => '{"length":1e9}',
  () => '{"valueOf":null}',
  (chance) => long(chance.pick([33, 65, 129, 257, 2_100, 20_000, 60_000])),
  (chance) => `${'['.repeat(chance.pick([10, 17, 500, 20_000]))}${']'.repeat(10)}`,
  (chance) => {
    const depth = chance.pick([10, 16, 17, 400]);
    return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
  (chance) => `[${Array.from({ length: chance.pick([3, 300, 5_000]) }, () => '1').join()}]`,
  (chance) =>
    `{${Array.from({ length: chance.pick([3, 300, 3_000]) }, (_, index) => `"k${index}":1`).join()}}`,
  (chance) => String(chance.below(2 ** 53)),
  (chance) => `-${chance.below(1_000)}.${chance.below(1_000)}`,
  (chance) => JSON.stringify(chance.bytes(12).toString('latin1')),
  (chance) => JSON.stringify(String(chance.below(1_000_000))),
];

/** A hostile value. */
export function hostileJson(chance: Chance): RawJson {
  return chance.pick(VALUES)(chance);
}

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  '',
  ' ',
  '\0',
  'userId',
  'isAdmin',
  'a/b~c',
  '\u202e',
  'x'.repeat(300),
  'k'.repeat(30_000),
  '0',
  'length',
];

/** A name no object was made to have. */
export function hostileName(chance: Chance): string {
  return chance.pick(NAMES);
}

/** Text for a path or a query, percent-encoded or as raw as a request line takes it. */
export function hostileText(chance: Chance): string {
  return chance.pick([
    '',
    '%',
    '%zz',
    '%00',
    '%ff',
    '%c0%80',
    '%ed%a0%80',
    '%2e%2e',
    '..',
    '.',
    '%2f',
    '%5c',
    '%20',
    '+',
    '%0d%0aX:y',
    '*',
    '~',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    'true',
    '0',
    '-1',
    '1e9',
    '00',
    '9'.repeat(79),
    '9'.repeat(3_000),
    'x'.repeat(600),
    '%F0%9F%92%A9',
    'a'.repeat(9_000),
    '0x',
    `0x${'0'.repeat(64)}`,
    `0x${'F'.repeat(64)}`,
    encodeURIComponent(chance.bytes(9).toString('latin1')),
    encodeURIComponent("' or 1=1 --"),
    'btc_5min%00',
    'BTC_5MIN',
  ]);
}
