import { describe, expect, it } from 'vitest';
import { originOf } from '../../src/mcp/connect-page.ts';

describe('where a host is reached', () => {
  it.each([
    ['localhost:8787', 'http://localhost:8787'],
    ['LOCALHOST:8787', 'http://localhost:8787'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['[::1]:80', 'http://[::1]:80'],
    ['Predict.Example.com', 'https://predict.example.com'],
    ['localhost.example.com', 'https://localhost.example.com'],
    ['127.example.com:8443', 'https://127.example.com:8443'],
  ])('%s is %s', (host, origin) => {
    expect(originOf(host)).toBe(origin);
  });
});
