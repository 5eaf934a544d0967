import { z } from 'zod';
import type { AdoptionReport } from '../../services/adoption/adoption.ts';
import { formatMicros, shareMicros } from '../../domain/units.ts';
import { internalRoute } from '../route.ts';
import { marketTimeOut } from '../wall-times.ts';

const amountOut = z.string().meta({ description: 'USDC, or shares of an outcome.' });
const adoptionOut = z
  .object({
    state: z.enum(['none', 'waiting', 'running', 'adopted', 'incomplete']).meta({
      description:
        'none: the store was never restored. waiting: adopting has not been begun since the start. incomplete: it has ended, and the users in left differ.',
    }),
    upToMs: marketTimeOut
      .nullable()
      .meta({ description: 'Up to when the restored store goes; null without a restore.' }),
    users: z.object({ adopted: z.int(), lacking: z.int() }).meta({
      description:
        'adopted: users who were brought to what the chain says since the restore. lacking: those who were not yet.',
    }),
    orders: z.int().meta({ description: 'Orders adopted since the start.' }),
    left: z
      .array(
        z.object({
          userId: z.string(),
          differences: z.array(
            z.object({
              asset: z
                .string()
                .meta({ description: 'A cash account, or the token of an outcome.' }),
              booked: amountOut,
              onChain: amountOut,
            }),
          ),
          reason: z.string().nullable().meta({
            description: 'Why it is not known yet what is lacking; null where it is.',
          }),
        }),
      )
      .meta({ description: 'Users whose books are still not what the chain says; 50 at most.' }),
    current: z
      .object({
        userId: z.string(),
        number: z.int().meta({ description: 'Of the users this run found lacking, from 1.' }),
        of: z.int(),
        reading: z.int().meta({ description: 'Readings of this user, this one included.' }),
        doing: z.enum(['orders', 'movements', 'comparison', 'waiting']).meta({
          description:
            'orders: orders and trades at the venues. movements: money and shares on the chains. comparison: of books and chains. waiting: for what is not final, or differs, before the next reading.',
        }),
      })
      .nullable()
      .meta({ description: 'Whose books it is at; null unless it runs.' }),
  })
  .meta({ id: 'Adoption' });

function view({ left, ...report }: AdoptionReport): z.input<typeof adoptionOut> {
  const amount = (micros: number): string => formatMicros(shareMicros(micros));
  return {
    ...report,
    left: left.map(({ userId, differences, reason }) => ({
      userId,
      reason,
      differences: differences.map(({ asset, booked, onChain }) => ({
        asset,
        booked: amount(booked),
        onChain: amount(onChain),
      })),
    })),
  };
}

/** Adopting what a restored store lacks. */
export const internalAdoptRoutes = [
  internalRoute({
    family: 'internal',
    method: 'POST',
    path: '/internal/adopt',
    budget: 'none',
    operationId: 'beginAdoption',
    summary: 'Begin booking from venues and chains what a restored store lacks',
    description:
      'Begins, or goes on where the last run ended; nothing while it runs. Ask GET how far it is.',
    output: adoptionOut,
    errors: ['not_found'],
    run: ({ services }) => view(services.adoption.begin()),
  }),
  internalRoute({
    family: 'internal',
    method: 'GET',
    path: '/internal/adopt',
    budget: 'none',
    operationId: 'getAdoption',
    summary: 'See how far adopting has come',
    description: 'How many users have all that was lacking, and what could not be attributed.',
    output: adoptionOut,
    run: ({ services }) => view(services.adoption.report()),
  }),
];
