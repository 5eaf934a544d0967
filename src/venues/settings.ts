import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';

/** Reads what a venue is opened with. Errors: `config_invalid`, with every fault and its place. */
export function settingsOf<Settings>(
  id: string,
  schema: z.ZodType<Settings>,
  given: unknown,
): Settings {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => `${message} (${path.join('.')})`);
  throw new AppError('config_invalid', `the settings of ${id} are wrong: ${faults.join('; ')}`);
}
