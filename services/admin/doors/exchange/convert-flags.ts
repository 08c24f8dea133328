import { cleanTag, cleanText } from '#base/tokens';
import type { Conversion } from './convert-unleash-export.ts';

/** What we take of a flag of any system. Its targeting and variants stay in that system. */
export type CatalogueFlag = {
  readonly name: string;
  readonly isOn: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** Neither flagd nor GO Feature Flag names a project. */
const PROJECT = 'default';
const MAX_TAG_LENGTH = 101;

/**
 * The flags as features of the project `default`. A flag file does not name its environment: without one, the states of the flags are
 * left out. Of the metadata, `description` and `owner` are those of the feature, and each other text, number or boolean is a tag.
 */
export function documentOfFlags(
  flags: readonly CatalogueFlag[],
  environment: string | undefined,
): Conversion {
  const contents = flags.map(({ metadata }) => contentOf(metadata));
  const states = flags.map(({ name, isOn }) => ({ feature_name: name, environment, enabled: isOn }));
  return {
    document: {
      format: 'flagmeter',
      version: 1,
      features: flags.map(({ name }, index) => ({
        name,
        project: PROJECT,
        type: 'release',
        ...contents[index]?.content,
      })),
      ...(environment === undefined
        ? {}
        : { environments: [{ name: environment, type: 'unknown' }], feature_environments: states }),
    },
    omitted: {
      states: environment === undefined ? states.length : 0,
      metadata: contents.reduce((sum, { omitted }) => sum + omitted, 0),
    },
  };
}

function contentOf({ description, owner, ...others }: CatalogueFlag['metadata']) {
  const tags = Object.entries(others).flatMap(([key, value]) => tagOf(key, value) ?? []);
  const texts = {
    ...(isText(description) ? { description } : {}),
    ...(isText(owner) ? { owner } : {}),
  };
  const given = [description, owner].filter((value) => value !== undefined).length;
  return {
    content: { ...texts, tags: [...new Set(tags)].toSorted() },
    omitted: given + Object.keys(others).length - tags.length - Object.keys(texts).length,
  };
}

function tagOf(key: string, value: unknown): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  const tag = cleanTag(`${key}:${String(value)}`);
  return tag.length <= MAX_TAG_LENGTH && /^[^:]+:.+$/.test(tag) ? tag : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && cleanText(value) !== '';
}
