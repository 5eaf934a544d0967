import { afterAll } from 'vitest';
import type { TestSurface } from './surface.ts';
import { startSurface } from './surface.ts';

/** A surface for all tests of the file; closed after the last. */
export async function useSurface(): Promise<TestSurface> {
  const surface = await startSurface();
  afterAll(() => surface.close());
  return surface;
}
