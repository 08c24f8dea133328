import { problemsOf, compileGuard } from '#base/schema';
import { FlagmeterError } from '#base/runtime';
import { isUnleashExport } from '#unleash/client';
import {
  type Conversion,
  type Exchange,
  convertFlagd,
  convertGoFeatureFlag,
  convertUnleashExport,
  exchangeSchema,
  isFlagdFile,
  isGoFeatureFlagFile,
} from '../../../admin/doors/exchange/index.ts';

export const IMPORT_FORMATS = ['flagmeter', 'unleash', 'flagd', 'go-feature-flag'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Formats whose files do not name their environment. */
export const WITHOUT_ENVIRONMENT: ReadonlySet<ImportFormat> = new Set(['flagd', 'go-feature-flag']);

type Members = Readonly<Record<string, unknown>>;

const RECOGNISES: Readonly<Record<ImportFormat, (members: Members) => boolean>> = {
  flagmeter: ({ format }) => format === 'flagmeter',
  unleash: ({ features, featureStrategies, version }) =>
    version === undefined && Array.isArray(features) && Array.isArray(featureStrategies),
  flagd: ({ flags }) => Array.isArray(flags) || (isObject(flags) && !isGoFlag(flags)),
  'go-feature-flag': (members) =>
    Object.keys(members).length > 0 &&
    Object.values(members).every((flag) => isObject(flag) && isGoFlag(flag)),
};

/** The format of a file; undefined if it is none of ours. */
export function formatOf(content: unknown): ImportFormat | undefined {
  return isObject(content) ? IMPORT_FORMATS.find((format) => RECOGNISES[format](content)) : undefined;
}

/** The converted file. Throws a FlagmeterError if a member is wrong. */
export const CONVERT: Readonly<
  Record<ImportFormat, (content: unknown, environment: string | undefined) => Conversion>
> = {
  flagmeter: (content) => ({ document: checkedDocument(content, 'export of flagmeter'), omitted: {} }),
  unleash: (content) =>
    convertUnleashExport(checked(content, isUnleashExport, 'export of Unleash'), new Date()),
  flagd: (content, environment) =>
    withCheckedDocument(convertFlagd(checked(content, isFlagdFile, 'file of flagd'), environment)),
  'go-feature-flag': (content, environment) =>
    withCheckedDocument(
      convertGoFeatureFlag(checked(content, isGoFeatureFlagFile, 'file of GO Feature Flag'), environment),
    ),
};

/** Their names and texts have no bounds. */
function withCheckedDocument({ document, omitted }: Conversion): Conversion {
  return { document: checkedDocument(document, 'file'), omitted };
}

function checkedDocument(content: unknown, title: string): Exchange {
  return checked(content, compileGuard<Exchange>(exchangeSchema), title);
}

function checked<T>(content: unknown, guard: ReturnType<typeof compileGuard<T>>, title: string): T {
  if (guard(content)) return content;
  const problems = problemsOf(guard).map(({ path, message }) => `${path} ${message}`);
  throw new FlagmeterError('document', `This ${title} has a mistake:\n  ${problems.join('\n  ')}`);
}

function isGoFlag(flag: Members): boolean {
  return isObject(flag['variations']);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
