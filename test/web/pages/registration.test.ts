import { describe, expect, it } from 'vitest';
import {
  reachOf,
  scoreFault,
  shownPaths,
  slugsIn,
} from '../../../src/web/pages/wallet/registration.ts';

const NONE = { skills: '', domains: '', address: '' };

describe('what a form says of an agent in the registry', () => {
  it('has slugs with commas, spaces or lines between them, each once', () => {
    expect(slugsIn(' a/b, c/d\n a/b,,c/e ')).toEqual(['a/b', 'c/d', 'c/e']);
    expect(slugsIn(' , ')).toEqual([]);
  });

  it('has no service where none was named', () => {
    expect(reachOf(null, NONE)).toEqual({
      services: [],
      skills: [],
      domains: [],
    });
  });

  it('has a service of type OASF behind the other, where skills or domains are given', () => {
    const typed = { skills: 'a/b', domains: 'c/d, c/e', address: ' https://x.example/oasf ' };
    expect(reachOf({ type: 'MCP', value: ' https://x.example/mcp ' }, typed)).toEqual({
      services: [
        { type: 'MCP', value: 'https://x.example/mcp' },
        { type: 'OASF', value: 'https://x.example/oasf' },
      ],
      skills: ['a/b'],
      domains: ['c/d', 'c/e'],
    });
  });

  it('asks for where they are described by leaving it empty, so that the daemon names the field', () => {
    const { services } = reachOf(null, { ...NONE, domains: 'c/d' });
    expect(services).toEqual([{ type: 'OASF', value: '' }]);
  });

  it('shows each fault at its field, also that of one of several slugs', () => {
    const typed = { skills: 'a/b, c/d', domains: '', address: 'https://x.example/oasf' };
    const reach = reachOf({ type: 'ENS', value: 'a.eth' }, typed);
    const paths = shownPaths({ agent: 'btc_5min', name: 'A', description: '', ...reach });
    expect(paths).toEqual([
      'agent',
      'name',
      'description',
      'services/0/value',
      'services/1/value',
      'skills',
      'skills/0',
      'skills/1',
      'domains',
    ]);
  });
});

it('a score is a whole number from 0 to 100, or left out', () => {
  const fault = 'a whole number from 0 to 100';
  expect(['', ' 7 ', '0', '100'].map(scoreFault)).toEqual([null, null, null, null]);
  expect(['101', '7.5', '-1', 'good'].map(scoreFault)).toEqual([fault, fault, fault, fault]);
});
