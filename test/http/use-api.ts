import { afterAll } from 'vitest';
import { startApi, type TestApi } from './api.ts';

/** An API for all tests of the file; closed after the last. */
export async function useApi(): Promise<TestApi> {
  const api = await startApi();
  afterAll(() => api.close());
  return api;
}
