import { SETTING_NAMES } from '../../config/schema.ts';
import { COMMANDS, usageOf } from '../../src/app/commands.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { ERROR_RESPONSES } from '../../src/http/errors.ts';
import { routeTable } from '../../src/app/route-table.ts';

/** Rows of the endpoint table in src/http/README.md, as the route table states them. */
export function endpointRows(): readonly string[] {
  const auth = {
    public: 'anyone',
    user: 'user',
    user_without_username: 'user, name not yet needed',
    internal: 'internal secret',
    operator: 'this machine, or the internal secret',
  } as const;
  return routeTable.map(
    (route) => `| ${route.method} | \`${route.path}\` | ${auth[route.auth]} | ${route.summary} |`,
  );
}

/**
 * Rows of the error table in src/http/README.md. Object keys are exactly the codes: the table's
 * type says so.
 */
export function errorRows(): readonly string[] {
  return (Object.keys(ERROR_RESPONSES) as ErrorCode[]).map(
    (code) => `| \`${code}\` | ${ERROR_RESPONSES[code].status} | ${ERROR_RESPONSES[code].title} |`,
  );
}

/** Names of settings that the table in config/README.md must explain. */
export function settingNames(): readonly string[] {
  return SETTING_NAMES;
}

/** Rows of the table of commands in config/README.md, as `src/app/commands.ts` states them. */
export function commandRows(): readonly string[] {
  return COMMANDS.map(({ name, does, exits }) => {
    const own = Object.entries(exits).map(([code, meaning]) => `${code} ${meaning}`);
    return `| \`${usageOf(name)}\` | ${does} | ${own.join('; ')} |`;
  });
}
