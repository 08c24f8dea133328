import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard } from '#base/schema';
import { documentOfFlags } from './convert-flags.ts';
import type { Conversion } from './convert-unleash-export.ts';

/** The members that we read from a file of GO Feature Flag: https://gofeatureflag.org/docs/configure_flag/flag_format. */
const goFeatureFlagShape = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['variations'],
    properties: {
      variations: { type: 'object' },
      disable: { type: 'boolean' },
      metadata: { type: 'object' },
    },
  },
} as const;

export type GoFeatureFlagFile = FromSchema<typeof goFeatureFlagShape>;
export const isGoFeatureFlagFile = compileGuard<GoFeatureFlagFile>(goFeatureFlagShape);

/** Says how flags are evaluated, which flagmeter does not do. */
const OMITTED = [
  'targeting',
  'defaultRule',
  'scheduledRollout',
  'experimentation',
  'bucketingKey',
  'trackEvents',
  'version',
] as const;

/** Converts a file of GO Feature Flag to our document. */
export function convertGoFeatureFlag(file: GoFeatureFlagFile, environment: string | undefined): Conversion {
  const { document, omitted } = documentOfFlags(
    Object.entries(file).map(([name, { disable, metadata = {} }]) => ({
      name,
      isOn: disable !== true,
      metadata,
    })),
    environment,
  );
  const flags = Object.values(file);
  return {
    document,
    omitted: {
      ...omitted,
      variations: flags.reduce((sum, { variations }) => sum + Object.keys(variations).length, 0),
      ...Object.fromEntries(
        OMITTED.map((member) => [member, flags.filter((one) => one[member] !== undefined).length]),
      ),
    },
  };
}
