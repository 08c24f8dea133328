import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard, text } from '#base/schema';
import { documentOfFlags } from './convert-flags.ts';
import type { Conversion } from './convert-unleash-export.ts';

const anything = { type: 'object' } as const;

const flag = {
  type: 'object',
  required: ['state'],
  properties: {
    state: { type: 'string', enum: ['ENABLED', 'DISABLED'] },
    variants: anything,
    targeting: anything,
    metadata: anything,
  },
} as const;

/** The members that we read from a file of flagd: https://flagd.dev/schema/v0/flags.json. */
const flagdShape = {
  type: 'object',
  required: ['flags'],
  properties: {
    flags: {
      anyOf: [
        { type: 'object', additionalProperties: flag },
        {
          type: 'array',
          items: {
            ...flag,
            required: ['state', 'key'],
            properties: { ...flag.properties, key: text('Name.') },
          },
        },
      ],
    },
    $evaluators: anything,
    metadata: anything,
  },
} as const;

export type FlagdFile = FromSchema<typeof flagdShape>;
export const isFlagdFile = compileGuard<FlagdFile>(flagdShape);

/** Converts a file of flagd to our document. Metadata of the file is that of each flag, as in flagd. */
export function convertFlagd(file: FlagdFile, environment: string | undefined): Conversion {
  const flags = Array.isArray(file.flags)
    ? file.flags
    : Object.entries(file.flags).map(([key, one]) => ({ ...one, key }));
  const { document, omitted } = documentOfFlags(
    flags.map(({ key, state, metadata }) => ({
      name: key,
      isOn: state === 'ENABLED',
      metadata: { ...file.metadata, ...metadata },
    })),
    environment,
  );
  return {
    document,
    omitted: {
      ...omitted,
      variants: flags.reduce((sum, { variants = {} }) => sum + Object.keys(variants).length, 0),
      targeting: flags.filter(({ targeting = {} }) => Object.keys(targeting).length > 0).length,
      $evaluators: Object.keys(file.$evaluators ?? {}).length,
    },
  };
}
