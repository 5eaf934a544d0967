import { describe, expect, it } from 'vitest';
import {
  addressFault,
  costWords,
  reachOf,
  scoreFault,
  shownPaths,
  slugFault,
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

it('a cost is said in SOL, and in dollars where the price is known', () => {
  const wallets = (priceUsd: string | null) => ({
    wallets: [{ chain: 'SOLANA' as const, native: { priceUsd } }],
  });
  expect(costWords('0.0092', wallets('150'))).toBe(
    'about 0.0092 SOL ($1.38), at most 0.02 SOL ($3.00)',
  );
  expect(costWords('0.0092', wallets(null))).toBe('about 0.0092 SOL, at most 0.02 SOL');
  expect(costWords(null, undefined)).toBe('at most 0.02 SOL');
});

it('an address of a server is one with https, and a skill or domain one of the taxonomy', () => {
  const fault = 'must be a web address that begins with https://';
  const typed = ['', ' https://x.example/mcp ', 'not a url', 'http://x.example', 'https://'];
  expect(typed.map((text) => addressFault('MCP', text))).toEqual([null, null, fault, fault, fault]);
  expect(addressFault('ENS', 'agent.eth')).toBeNull();
  expect([
    slugFault('skill', 'evaluation_monitoring/anomaly_detection'),
    slugFault('skill', 'evaluation_monitoring/anomaly_detection, nonsense'),
    slugFault('domain', 'finance_and_business/investment_services'),
    slugFault('domain', 'trading'),
  ]).toEqual([
    null,
    'nonsense is not a skill of the OASF taxonomy',
    null,
    'trading is not a domain of the OASF taxonomy',
  ]);
});

it('a score is a whole number from 0 to 100, or left out', () => {
  const fault = 'a whole number from 0 to 100';
  expect(['', ' 7 ', '0', '100'].map(scoreFault)).toEqual([null, null, null, null]);
  expect(['101', '7.5', '-1', 'good'].map(scoreFault)).toEqual([fault, fault, fault, fault]);
});
