import { readEnvironment } from '../config/schema.ts';
import { startService } from './app/compose.ts';
import { AppError } from './domain/errors.ts';

/** Exit codes: 0 ended as asked, 2 the start was refused with a sentence, 70 an invariant broke (the next start recovers). */
const EXIT = { clean: 0, refused: 2, broken: 70 } as const;

async function main(): Promise<void> {
  const service = await startService(readEnvironment(), { print: (line) => console.log(line) });
  let ending = false;
  const end = (): void => {
    if (ending) process.exit(EXIT.broken);
    ending = true;
    service.close().then(() => process.exit(EXIT.clean), broken);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

/** An unknown state is never carried on from: the process ends and the next start recovers (L9). */
function broken(cause: unknown): never {
  console.error(cause);
  process.exit(EXIT.broken);
}

process.on('uncaughtException', broken);
process.on('unhandledRejection', broken);
main().catch((cause: unknown) => {
  if (!(cause instanceof AppError)) broken(cause);
  console.error(`predictd: ${cause.message}`);
  process.exit(EXIT.refused);
});
