import { describe, expect, it } from 'vitest';
import { reachOf, slugsIn } from '../../../src/web/pages/wallet/registration.ts';

const NONE = { skills: '', domains: '', address: '' };

describe('what a form says of an agent in the registry', () => {
  it('has slugs with commas, spaces or lines between them, each once', () => {
    expect(slugsIn(' a/b, c/d\n a/b,,c/e ')).toEqual(['a/b', 'c/d', 'c/e']);
    expect(slugsIn(' , ')).toEqual([]);
  });

  it('has no service where none was named', () => {
    expect(reachOf({ type: 'MCP', value: ' ' }, NONE)).toEqual({
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
    const { services } = reachOf({ type: 'MCP', value: '' }, { ...NONE, domains: 'c/d' });
    expect(services).toEqual([{ type: 'OASF', value: '' }]);
  });
});
