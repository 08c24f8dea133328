import { cleanTag } from '#base/tokens';

/** Unleash has no limit for the tags of a feature; our API has this one. */
const MAX_TAGS = 100;

/** Tags of a feature in the form `type:value`, sorted. Beyond the first 100 they are left out. */
export function tagsOf(tags: readonly { readonly type: string; readonly value: string }[] = []): string[] {
  return [...new Set(tags.map(({ type, value }) => cleanTag(`${type}:${value}`)))]
    .toSorted()
    .slice(0, MAX_TAGS);
}
