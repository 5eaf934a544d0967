import { AppError, type ErrorCode } from '../domain/errors.ts';

/** Why something would not be done, as doing it would say. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly isRetryable: boolean;
}

/** Returns what an error says of a refusal. Any other error is internal, and thrown on. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message, isRetryable: error.retryable };
}

/** Resolves with what a check would be refused for; null where it passes. */
export async function refusedBy(check: () => void | Promise<void>): Promise<Refusal | null> {
  try {
    await check();
    return null;
  } catch (error) {
    return refusalOf(error);
  }
}
