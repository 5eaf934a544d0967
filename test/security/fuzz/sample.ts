import * as fc from 'fast-check';
import { z } from 'zod';
import type { Chance } from './chance.ts';
import { hostileJson, hostileName, type RawJson } from './hostile.ts';

/** The part of JSON Schema that the route table comes to. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/**
 * A value on its way into a body: objects and lists whose leaves are text that is sent
 * unchanged.
 */
export type Draft =
  | {
      readonly kind: 'object';
      readonly members: readonly (readonly [name: string, value: Draft])[];
    }
  | { readonly kind: 'list'; readonly items: readonly Draft[] }
  | { readonly kind: 'raw'; readonly text: RawJson };

/** What a schema asks for, as JSON Schema says it. */
export function schemaOf(type: z.ZodType): Schema {
  // zod writes the schema of draft 2020-12, of which this is the part that is looked at
  return z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema;
}

/**
 * A value that fits the schema as far as the schema tells; `known` is text the service knows things
 * by.
 */
export function sample(
  chance: Chance,
  schema: Schema,
  known: readonly string[],
  root: Schema = schema,
): Draft {
  const inner = (each: Schema): Draft => sample(chance, each, known, root);
  if (schema.$ref !== undefined)
    return inner(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.const !== undefined) return raw(schema.const);
  if (schema.enum !== undefined) return raw(chance.pick(schema.enum));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return inner(chance.pick(choices));
  const [all] = schema.allOf ?? [];
  if (all !== undefined) return inner(all);
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).filter(
        ([name]) => (schema.required ?? []).includes(name) || chance.often(40),
      );
      return { kind: 'object', members: members.map(([name, each]) => [name, inner(each)]) };
    }
    case 'array':
      return {
        kind: 'list',
        items: Array.from({ length: (schema.minItems ?? 0) + chance.below(3) }, () =>
          inner(schema.items ?? {}),
        ),
      };
    case 'string':
      return raw(textOf(chance, schema, known));
    case 'integer':
      return raw(
        Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1_000, chance.below(1_000))),
      );
    case 'number':
      return raw(chance.pick([1, 0.5, 5, 0.47, 100, 12.25]));
    case 'boolean':
      return raw(chance.often(50));
    case 'null':
      return raw(null);
    default:
      return { kind: 'raw', text: hostileJson(chance) };
  }
}

/** Text that fits: often something the service knows, else made to the pattern. */
export function textOf(
  chance: Chance,
  { pattern, minLength = 1, maxLength = 40 }: Schema,
  known: readonly string[],
): string {
  const fitting = known.filter(
    (text) =>
      text.length >= minLength &&
      text.length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text)),
  );
  if (fitting.length > 0 && chance.often(70)) return chance.pick(fitting);
  if (pattern === undefined)
    return 'abcdefghijklmnopqrstuvwxyz'
      .slice(0, Math.max(minLength, 1 + chance.below(Math.min(26, maxLength))))
      .padEnd(minLength, 'x');
  const [made = ''] = fc.sample(fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }), {
    seed: chance.below(2 ** 31),
    numRuns: 1,
  });
  return made;
}

function raw(value: unknown): Draft {
  return { kind: 'raw', text: JSON.stringify(value) };
}

/** Makes one thing wrong with a draft: a value, a member too many, too few or twice. */
export function spoil(chance: Chance, draft: Draft): Draft {
  if (draft.kind === 'object') {
    const index = draft.members.length === 0 ? -1 : chance.below(draft.members.length);
    const chosen = draft.members[index];
    switch (chosen === undefined ? 0 : chance.below(7)) {
      case 0:
        return {
          kind: 'object',
          members: [
            ...draft.members,
            [hostileName(chance), { kind: 'raw', text: hostileJson(chance) }],
          ],
        };
      case 1:
        return { kind: 'object', members: draft.members.filter((_, each) => each !== index) };
      case 2:
        return chosen === undefined
          ? draft
          : { kind: 'object', members: [...draft.members, chosen] };
      case 3:
        return { kind: 'raw', text: hostileJson(chance) };
      default:
        return {
          kind: 'object',
          members: draft.members.map((member, each) =>
            each === index ? [member[0], spoil(chance, member[1])] : member,
          ),
        };
    }
  }
  if (draft.kind === 'list' && draft.items.length > 0 && chance.often(60)) {
    const index = chance.below(draft.items.length);
    return {
      kind: 'list',
      items: draft.items.map((item, each) => (each === index ? spoil(chance, item) : item)),
    };
  }
  if (draft.kind === 'list' && draft.items.length > 0)
    return {
      kind: 'list',
      items: Array.from({ length: chance.pick([0, 2, 400]) }, () => draft.items[0] ?? draft),
    };
  return { kind: 'raw', text: hostileJson(chance) };
}

/** The text of a body. */
export function write(draft: Draft): string {
  if (draft.kind === 'raw') return draft.text;
  if (draft.kind === 'list') return `[${draft.items.map(write).join()}]`;
  return `{${draft.members.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join()}}`;
}
