import { expect, it } from 'vitest';
import { useApi } from '../use-api.ts';

const api = await useApi();
const { token } = await api.signIn();
const ENTRY = { agent: 'btc_5min', name: 'BTC', description: '' };
const MCP = { type: 'MCP', value: 'https://agents.example.com/mcp' };
const OASF = { type: 'OASF', value: 'https://agents.example.com/oasf' };
const register = (body: object) =>
  api.request('POST', '/api/web3/registry/register', {
    token,
    body: { ...ENTRY, ...body },
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });

it('an entry shows the skills and domains it says, and none where there are none', async () => {
  const said = {
    skills: ['evaluation_monitoring/anomaly_detection'],
    domains: ['finance_and_business/banking', 'technology/technology'],
  };
  const { status, body } = await register({ services: [MCP, OASF], ...said });
  expect([status, body.skills, body.domains]).toEqual([201, said.skills, said.domains]);
  const plain = await register({ services: [MCP] });
  expect([plain.body.skills, plain.body.domains]).toEqual([[], []]);
});

it.each([
  ['skills', { services: [MCP], skills: ['audio/audio'] }, '/skills'],
  ['domains', { services: [], skills: [], domains: ['technology/technology'] }, '/domains'],
])(
  'an entry with %s is refused without the service that would hold them',
  async (_, body, path) => {
    const answer = await register(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors).toMatchObject([{ path }]);
  },
);

it('an address that is no URL, a skill and a domain beside the taxonomy are refused at their fields', async () => {
  const answer = await register({
    services: [{ type: 'MCP', value: 'not a url' }, OASF],
    skills: ['audio/audio', 'nonsense'],
    domains: ['trading'],
  });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  expect(answer.body.errors).toMatchObject([
    { path: '/services/0/value', message: 'must be a web address that begins with https://' },
    { path: '/skills/1', message: 'must be a skill of the OASF taxonomy' },
    { path: '/domains/0', message: 'must be a domain of the OASF taxonomy' },
  ]);
});

it('feedback on what is no web address, or beyond its length, is refused once at each field', async () => {
  const answer = await api.request('POST', '/api/web3/registry/feedback', {
    token,
    body: {
      agent: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
      value: '1',
      endpoint: 'javascript:alert(1)',
      comment: 'x'.repeat(5_000),
    },
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  expect(answer.body.errors).toMatchObject([
    { path: '/endpoint', message: 'must be a web address that begins with https://' },
    { path: '/comment', message: expect.stringContaining('1000') },
  ]);
});
